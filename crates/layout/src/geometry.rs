//! Points, sizes and rectangles in graph px: x to the right, y down. Plain values, no rounding.

/// A point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Down.
    pub y: f64,
}

impl Point {
    /// The point at (`x`, `y`).
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }
}

/// A width and a height, never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    /// Along x.
    pub width: f64,
    /// Along y.
    pub height: f64,
}

impl Size {
    /// A size of `width` by `height`.
    pub const fn new(width: f64, height: f64) -> Self {
        Self { width, height }
    }
}

/// A rectangle by its upper left corner and its size.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left side.
    pub x: f64,
    /// Upper side.
    pub y: f64,
    /// Along x.
    pub width: f64,
    /// Along y.
    pub height: f64,
}

impl Rect {
    /// The rectangle with its upper left corner at (`x`, `y`).
    pub const fn new(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self { x, y, width, height }
    }

    /// The rectangle of `size` with its upper left corner at `origin`.
    pub const fn at(origin: Point, size: Size) -> Self {
        Self::new(origin.x, origin.y, size.width, size.height)
    }

    /// The x of the right side.
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    /// The y of the lower side.
    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// The middle.
    pub fn centre(&self) -> Point {
        Point::new(self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    /// Whether `point` lies inside or on a side.
    pub fn contains(&self, point: Point) -> bool {
        self.x <= point.x && point.x <= self.right() && self.y <= point.y && point.y <= self.bottom()
    }

    /// Whether `other` lies inside, sides included.
    pub fn encloses(&self, other: &Rect) -> bool {
        self.x <= other.x
            && other.right() <= self.right()
            && self.y <= other.y
            && other.bottom() <= self.bottom()
    }

    /// Whether the two share more than a side.
    pub fn overlaps(&self, other: &Rect) -> bool {
        self.x < other.right() && other.x < self.right() && self.y < other.bottom() && other.y < self.bottom()
    }

    /// The rectangle grown by `margin` on each side.
    #[must_use]
    pub fn grown(&self, margin: f64) -> Rect {
        Rect::new(self.x - margin, self.y - margin, self.width + 2.0 * margin, self.height + 2.0 * margin)
    }

    /// The rectangle moved by `by`.
    #[must_use]
    pub fn moved(&self, by: Point) -> Rect {
        Rect::new(self.x + by.x, self.y + by.y, self.width, self.height)
    }
}
