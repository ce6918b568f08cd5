from dataclasses import asdict, dataclass, field


@dataclass
class Pools:
    prefill_pool: list[str] = field(default_factory=list)
    decode_pool: list[str] = field(default_factory=list)
    shared_pool: list[str] = field(default_factory=list)


class Router:
    def __init__(self, prompt, decode):
        self.prompt, self.decode, self.pools = prompt, decode, Pools()

    def route(self, *, name="request", prompt_tokens=0, decode_tokens=0, **_):
        p, d = prompt_tokens > self.prompt, decode_tokens > self.decode
        chosen = self.pools.shared_pool
        if p and not d:
            chosen = self.pools.prefill_pool
        if d and not p:
            chosen = self.pools.decode_pool
        chosen.append(name)


def plan_pd_split(requests, long_prompt_threshold, long_decode_threshold):
    router = Router(long_prompt_threshold, long_decode_threshold)
    for request in requests:
        router.route(**request)
    return asdict(router.pools)
