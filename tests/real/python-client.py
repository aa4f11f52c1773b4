"""Uses RayClusters and pods through the Kubernetes client from PyPI, and prints what it saw as one JSON line."""
import json
import sys
import threading

from kubernetes import client, config, watch

config.load_kube_config(sys.argv[1])
namespace = "default"
ray = ("ray.io", "v1", namespace, "rayclusters")
custom = client.CustomObjectsApi()
core = client.CoreV1Api()
seen = {"cluster_events": [], "pod_events": []}


def container(name):
    return {"spec": {"containers": [{"name": name, "image": "rayproject/ray:2.52.0"}]}}


def follow_pods(resource_version, wanted):
    """Watches pods until `wanted` of them were added."""
    added = 0
    stream = watch.Watch()
    options = {"label_selector": "ray.io/cluster=py", "resource_version": resource_version, "timeout_seconds": 30}
    for event in stream.stream(core.list_namespaced_pod, namespace, **options):
        pod = event["object"]
        seen["pod_events"].append([event["type"], pod.metadata.labels["ray.io/node-type"], pod.status.phase])
        added += event["type"] == "ADDED"
        if added == wanted:
            stream.stop()


def follow_clusters(resource_version):
    """Watches clusters until the one of this test is gone."""
    stream = watch.Watch()
    options = {"resource_version": resource_version, "timeout_seconds": 30}
    for event in stream.stream(custom.list_namespaced_custom_object, *ray, **options):
        replicas = event["object"]["spec"]["workerGroupSpecs"][0]["replicas"]
        seen["cluster_events"].append([event["type"], replicas])
        if event["type"] == "DELETED":
            stream.stop()


now = custom.list_namespaced_custom_object(*ray)["metadata"]["resourceVersion"]
pods = threading.Thread(target=follow_pods, args=(now, 3))
clusters = threading.Thread(target=follow_clusters, args=(now,))
pods.start()
clusters.start()
group = {"groupName": "w", "replicas": 1, "minReplicas": 0, "maxReplicas": 5, "rayStartParams": {}, "template": container("w")}
body = {
    "apiVersion": "ray.io/v1",
    "kind": "RayCluster",
    "metadata": {"name": "py"},
    "spec": {"headGroupSpec": {"rayStartParams": {}, "template": container("h")}, "workerGroupSpecs": [group]},
}
created = custom.create_namespaced_custom_object(*ray, body)
seen["uid"] = created["metadata"]["uid"]
try:
    custom.create_namespaced_custom_object(*ray, body)
except client.ApiException as refused:
    seen["again"] = [refused.status, json.loads(refused.body)["reason"]]
patched = custom.patch_namespaced_custom_object(*ray, "py", {"spec": {"workerGroupSpecs": [{**group, "replicas": 2}]}})
seen["generation"] = patched["metadata"]["generation"]
pods.join()
listed = core.list_namespaced_pod(namespace, label_selector="ray.io/cluster=py").items
seen["owners"] = sorted({pod.metadata.owner_references[0].uid for pod in listed})
core.patch_namespaced_pod(listed[0].metadata.name, namespace, {"metadata": {"annotations": {"seen-by": "python"}}})
seen["annotation"] = core.read_namespaced_pod(listed[0].metadata.name, namespace).metadata.annotations["seen-by"]
custom.delete_namespaced_custom_object(*ray, "py", propagation_policy="Foreground")
clusters.join()
seen["left"] = len(core.list_namespaced_pod(namespace, label_selector="ray.io/cluster=py").items)
print(json.dumps(seen))
