use super::*;

fn read<T: DeserializeOwned>(text: &str) -> T {
    crate::json::read(text).expect("a document")
}

#[test]
fn absent_and_null_are_none() {
    let template: Template = read(r#"{"retryStrategy": null, "daemon": null}"#);
    assert_eq!(template.retry_strategy().expect("no error"), None);
    assert_eq!(template.memoize().expect("no error"), None);
    assert!(!template.is_daemon().expect("no error"));
    assert_eq!(template.timeout().expect("no error"), None);
}

#[test]
fn numbers_and_texts_are_both_text() {
    let template: Template = read(
        r#"{"retryStrategy": {"limit": 2, "retryPolicy": "Always", "backoff": {"duration": 4, "factor": "2"}},
            "activeDeadlineSeconds": "{{inputs.parameters.d}}", "suspend": {"duration": 30}, "daemon": true}"#,
    );
    let retry = template.retry_strategy().expect("no error").expect("a strategy");
    assert_eq!(retry.limit.as_deref(), Some("2"));
    let backoff = retry.backoff.expect("a backoff");
    assert_eq!((backoff.duration.as_str(), backoff.factor.as_deref(), &*backoff.cap), ("4", Some("2"), ""));
    assert_eq!(template.active_deadline_seconds().ok().flatten().as_deref(), Some("{{inputs.parameters.d}}"));
    assert_eq!(template.suspend_duration().ok().flatten().as_deref(), Some("30"));
    assert!(template.is_daemon().expect("no error"));
}

#[test]
fn both_forms_of_synchronization_are_read() {
    let template: Template = read(
        r#"{"synchronization": {"mutex": {"name": "a"}, "mutexes": [{"name": "b", "namespace": "n"}],
            "semaphores": [{"configMapKeyRef": {"name": "c", "key": "k"}}, {"database": {"key": "d"}}]}}"#,
    );
    let locks = template.synchronization().expect("no error").expect("locks");
    assert_eq!(locks.all_mutexes().map(|mutex| mutex.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    let keys: Vec<_> = locks.all_semaphores().map(|one| one.config_map_key_ref.as_ref()).collect();
    assert_eq!(keys[0].map(|key| (key.name.as_str(), key.key.as_str())), Some(("c", "k")));
    assert_eq!(keys[1], None);
}

#[test]
fn containers_of_a_set_have_names_and_dependencies() {
    let template: Template = read(
        r#"{"containerSet": {"containers": [{"name": "a", "image": "x"}, {"name": "b", "dependencies": ["a"]}],
            "retryStrategy": {"retries": 3}}}"#,
    );
    let set = template.container_set().expect("no error").expect("a container set");
    assert_eq!(ContainerSet::name(&set.containers[1]), "b");
    assert_eq!(ContainerSet::dependencies(&set.containers[1]).expect("no error"), ["a"]);
    assert!(ContainerSet::dependencies(&set.containers[0]).expect("no error").is_empty());
    assert_eq!(set.retry_strategy.and_then(|retry| retry.retries).as_deref(), Some("3"));
}

#[test]
fn a_wrong_shape_is_an_error() {
    let task: Task = read(r#"{"withItems": {"a": 1}, "continueOn": [], "withSequence": {"count": [1]}}"#);
    assert!(task.with_items().is_err());
    assert!(task.with_sequence().is_err());
    let template: Template = read(r#"{"parallelism": "many", "timeout": {}}"#);
    assert!(template.parallelism().is_err());
    assert!(template.timeout().is_err());
}

#[test]
fn loops_and_references_are_read() {
    let task: Task = read(
        r#"{"withItems": [1, "b", {"c": 2}], "withParam": "[1]", "continueOn": {"failed": true},
            "withSequence": {"count": "{{n}}", "format": "%d"},
            "templateRef": {"name": "w", "template": "t", "clusterScope": true}}"#,
    );
    assert_eq!(task.with_items().ok().flatten().map(|items| items.len()), Some(3));
    assert_eq!(task.with_param().ok().flatten().as_deref(), Some("[1]"));
    assert_eq!(task.continue_on().ok().flatten(), Some(ContinueOn { error: false, failed: true }));
    assert_eq!(task.with_sequence().ok().flatten().and_then(|s| s.count).as_deref(), Some("{{n}}"));
    assert!(task.template_ref().ok().flatten().is_some_and(|to| to.cluster_scope && to.template == "t"));
    let spec: WorkflowSpec =
        read(r#"{"workflowTemplateRef": {"name": "w"}, "templateDefaults": {"timeout": 5}}"#);
    assert_eq!(spec.workflow_template_ref().ok().flatten().map(|to| to.name).as_deref(), Some("w"));
    let defaults = spec.template_defaults().ok().flatten().expect("defaults");
    assert_eq!(defaults.timeout().ok().flatten().as_deref(), Some("5"));
}
