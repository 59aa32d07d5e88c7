//! Cron schedules and what a `CronWorkflow` does when one is due.
