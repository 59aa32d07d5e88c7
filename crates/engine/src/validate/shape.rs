//! Which fields Argo's types have, in the order in which Go writes them.
//! Source: Argo `pkg/apis/workflow/v1alpha1/workflow_types.go`, `container_set_template_types.go`,
//! `http_types.go`; Kubernetes `core/v1` `Container`.

/// What a value is, as far as its order matters.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    /// Written as it is.
    Any,
    /// A Go map: keys sorted.
    Map(&'static Shape),
    /// A list of one shape.
    List(&'static Shape),
    /// A Go struct.
    Struct(&'static [Field]),
    /// A template inside another.
    Template,
}

/// A field of a Go struct.
#[derive(Clone, Copy)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    pub(super) when: When,
}

/// Whether a field is written when it has nothing in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// Not when it is null, an empty text or an empty list (`omitempty`).
    Filled,
    /// Not when it is null (`omitempty` on a pointer to a text).
    Set,
    /// Always, as `""` when absent.
    Text,
    /// Always, as `{}` when absent (a struct that is no pointer).
    Object,
    /// Always, as `null` when absent (a list without `omitempty`).
    List,
}

const fn any(name: &'static str) -> Field {
    Field { name, shape: Shape::Any, when: When::Filled }
}
const fn of(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, when: When::Filled }
}
const fn text(name: &'static str) -> Field {
    Field { name, shape: Shape::Any, when: When::Text }
}
const fn object(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, when: When::Object }
}

/// `Template`.
pub(super) const TEMPLATE: Shape = Shape::Struct(&[
    any("name"),
    object("inputs", INPUTS),
    object("outputs", OUTPUTS),
    of("nodeSelector", Shape::Map(&Shape::Any)),
    any("affinity"),
    object("metadata", METADATA),
    any("daemon"),
    of("steps", Shape::List(&Shape::List(&STEP))),
    of("container", CONTAINER),
    of("containerSet", CONTAINER_SET),
    of("script", CONTAINER),
    of("resource", RESOURCE),
    of("dag", DAG),
    any("suspend"),
    any("data"),
    of("http", HTTP),
    any("plugin"),
    any("volumes"),
    of("initContainers", Shape::List(&CONTAINER)),
    of("sidecars", Shape::List(&CONTAINER)),
    any("archiveLocation"),
    any("activeDeadlineSeconds"),
    of("retryStrategy", RETRY),
    any("parallelism"),
    any("failFast"),
    any("tolerations"),
    any("schedulerName"),
    any("priorityClassName"),
    any("priority"),
    any("serviceAccountName"),
    any("automountServiceAccountToken"),
    any("executor"),
    any("hostAliases"),
    any("securityContext"),
    any("podSpecPatch"),
    of("metrics", METRICS),
    any("synchronization"),
    of("memoize", MEMOIZE),
    any("timeout"),
    of("annotations", Shape::Map(&Shape::Any)),
]);

/// `DAGTask`.
pub(super) const TASK: Shape = Shape::Struct(&[
    text("name"),
    any("template"),
    of("inline", Shape::Template),
    object("arguments", INPUTS),
    of("templateRef", TEMPLATE_REF),
    any("dependencies"),
    any("withItems"),
    any("withParam"),
    of("withSequence", SEQUENCE),
    any("when"),
    any("continueOn"),
    any("onExit"),
    any("depends"),
    of("hooks", Shape::Map(&HOOK)),
]);

/// `WorkflowStep`.
pub(super) const STEP: Shape = Shape::Struct(&[
    any("name"),
    any("template"),
    of("inline", Shape::Template),
    object("arguments", INPUTS),
    of("templateRef", TEMPLATE_REF),
    any("withItems"),
    any("withParam"),
    of("withSequence", SEQUENCE),
    any("when"),
    any("continueOn"),
    any("onExit"),
    of("hooks", Shape::Map(&HOOK)),
]);

/// `Inputs` and `Arguments`.
pub(super) const INPUTS: Shape =
    Shape::Struct(&[of("parameters", Shape::List(&PARAMETER)), of("artifacts", Shape::List(&ARTIFACT))]);

/// `Outputs`.
pub(super) const OUTPUTS: Shape = Shape::Struct(&[
    of("parameters", Shape::List(&PARAMETER)),
    of("artifacts", Shape::List(&ARTIFACT)),
    any("result"),
    any("exitCode"),
]);

const TEMPLATE_REF: Shape = Shape::Struct(&[any("name"), any("template"), any("clusterScope")]);

const METADATA: Shape =
    Shape::Struct(&[of("annotations", Shape::Map(&Shape::Any)), of("labels", Shape::Map(&Shape::Any))]);

const PARAMETER: Shape = Shape::Struct(&[
    text("name"),
    Field { name: "default", shape: Shape::Any, when: When::Set },
    Field { name: "value", shape: Shape::Any, when: When::Set },
    of("valueFrom", VALUE_FROM),
    any("globalName"),
    any("enum"),
    any("description"),
]);

const VALUE_FROM: Shape = Shape::Struct(&[
    any("path"),
    any("jsonPath"),
    any("jqFilter"),
    any("event"),
    any("parameter"),
    any("supplied"),
    any("configMapKeyRef"),
    Field { name: "default", shape: Shape::Any, when: When::Set },
    any("expression"),
]);

const ARTIFACT: Shape = Shape::Struct(&[
    text("name"),
    any("path"),
    any("mode"),
    any("from"),
    any("archiveLogs"),
    any("s3"),
    any("git"),
    any("http"),
    any("artifactory"),
    any("hdfs"),
    any("raw"),
    any("oss"),
    any("gcs"),
    any("azure"),
    any("plugin"),
    any("globalName"),
    any("archive"),
    any("optional"),
    any("subPath"),
    any("recurseMode"),
    any("fromExpression"),
    any("artifactGC"),
    any("deleted"),
]);

/// `Container` with what `ScriptTemplate`, `ContainerNode` and `UserContainer` add to it.
const CONTAINER: Shape = Shape::Struct(&[
    text("name"),
    any("image"),
    any("command"),
    any("args"),
    any("workingDir"),
    any("ports"),
    any("envFrom"),
    of("env", Shape::List(&Shape::Struct(&[text("name"), any("value"), any("valueFrom")]))),
    object("resources", Shape::Struct(&[any("limits"), any("requests"), any("claims")])),
    any("resizePolicy"),
    any("restartPolicy"),
    any("restartPolicyRules"),
    any("volumeMounts"),
    any("volumeDevices"),
    any("livenessProbe"),
    any("readinessProbe"),
    any("startupProbe"),
    any("lifecycle"),
    any("terminationMessagePath"),
    any("terminationMessagePolicy"),
    any("imagePullPolicy"),
    any("securityContext"),
    any("stdin"),
    any("stdinOnce"),
    any("tty"),
    any("source"),
    any("dependencies"),
    any("mirrorVolumeMounts"),
]);

const CONTAINER_SET: Shape = Shape::Struct(&[
    Field { name: "containers", shape: Shape::List(&CONTAINER), when: When::List },
    any("volumeMounts"),
    any("retryStrategy"),
]);

const RESOURCE: Shape = Shape::Struct(&[
    text("action"),
    any("mergeStrategy"),
    any("manifest"),
    any("manifestFrom"),
    any("setOwnerReference"),
    any("successCondition"),
    any("failureCondition"),
    any("flags"),
]);

const DAG: Shape = Shape::Struct(&[
    any("target"),
    Field { name: "tasks", shape: Shape::List(&TASK), when: When::List },
    any("failFast"),
]);

const HTTP: Shape = Shape::Struct(&[
    any("method"),
    text("url"),
    of("headers", Shape::List(&Shape::Struct(&[text("name"), any("value"), any("valueFrom")]))),
    any("timeoutSeconds"),
    any("successCondition"),
    any("body"),
    any("bodyFrom"),
    any("insecureSkipVerify"),
]);

const RETRY: Shape = Shape::Struct(&[
    any("limit"),
    any("retryPolicy"),
    of("backoff", Shape::Struct(&[any("duration"), any("factor"), any("cap"), any("maxDuration")])),
    any("affinity"),
    any("expression"),
]);

const SEQUENCE: Shape = Shape::Struct(&[any("count"), any("start"), any("end"), any("format")]);

const HOOK: Shape = Shape::Struct(&[
    any("template"),
    object("arguments", INPUTS),
    of("templateRef", TEMPLATE_REF),
    any("expression"),
]);

const METRICS: Shape = Shape::Struct(&[of(
    "prometheus",
    Shape::List(&Shape::Struct(&[
        text("name"),
        any("labels"),
        text("help"),
        any("when"),
        any("gauge"),
        any("histogram"),
        any("counter"),
    ])),
)]);

const MEMOIZE: Shape = Shape::Struct(&[text("key"), any("cache"), text("maxAge")]);
