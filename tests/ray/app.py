"""A Serve application for the tests of a real head."""
from ray import serve


@serve.deployment(ray_actor_options={"num_cpus": 0.1})
class Hello:
    def __call__(self, request):
        return "hello"


app = Hello.bind()
