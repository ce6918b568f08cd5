"""The loop, written the slow and obvious way: one iteration, one token, one list at a time.

Nothing is kept across iterations that could be counted again, no step is skipped, and tokens
are lists of times. A policy is a function with the contract of ``plan_iteration_budget``.
"""


def decode_first(suffixes, ready, budget, cap, reserve):
    decodes = ready[:budget]
    return decodes, cut(suffixes, budget - len(decodes), cap)


def prefill_first(suffixes, ready, budget, cap, reserve):
    chunks = cut(suffixes, budget, cap)
    return ready[: budget - sum(tokens for _, tokens in chunks)], chunks


def balanced(suffixes, ready, budget, cap, reserve):
    first = min(reserve, len(ready), budget)
    chunks = cut(suffixes, budget - first, cap)
    return ready[: budget - sum(tokens for _, tokens in chunks)], chunks


POLICIES = {"decode_first": decode_first, "prefill_first": prefill_first, "balanced": balanced}


def cut(suffixes, budget, cap):
    chunks = []
    for key, suffix in suffixes.items():
        tokens = min(suffix, cap, budget)
        if tokens > 0:
            chunks.append((key, tokens))
            budget -= tokens
    return chunks


def blocks(tokens):
    return (tokens + 15) // 16


def hits(state):
    known = state["prompt"] + len(state["tokens"])
    return min(state["cached"], known - 1) // 16 * 16


def known(state):
    return state["prompt"] + len(state["tokens"])


def held(state):
    """Blocks: a prefilling request has its whole prompt's, a decoding one its context's."""
    if state["place"] == "prefilling":
        return blocks(known(state))
    return blocks(state["computed"]) if state["place"] == "decoding" else 0


def run(requests, policy, cost, *, budget, cap, reserve, seats, kv_blocks):  # noqa: PLR0912
    """Iterations as (start, end, decodes, chunks) and each request's token times."""
    states, waiting, prefilling, decoding = {}, [], [], []
    to_come = list(requests)
    iterations, now, admissions = [], 0.0, 0

    def free():
        return kv_blocks - sum(held(state) for state in states.values())

    def grows(key):
        return states[key]["computed"] % 16 == 0

    while to_come or waiting or prefilling or decoding:
        if not waiting and not prefilling and not decoding:
            now = max(now, to_come[0].arrival_ms)
        while to_come and to_come[0].arrival_ms <= now:
            request = to_come.pop(0)
            states[request.request_id] = {
                "prompt": request.prompt_tokens, "output": request.output_tokens,
                "cached": request.cached_tokens, "computed": 0, "tokens": [], "place": "waiting",
                "admitted": -1, "preemptions": 0,
            }  # fmt: skip
            waiting.append(request.request_id)

        while sum(map(grows, decoding)) > free():
            victim = max(prefilling + decoding, key=lambda key: states[key]["admitted"])
            (prefilling if victim in prefilling else decoding).remove(victim)
            waiting.insert(0, victim)
            states[victim].update(computed=0, place="waiting")
            states[victim]["preemptions"] += 1

        suffixes = {key: known(states[key]) - states[key]["computed"] for key in prefilling}
        room = free() - sum(map(grows, decoding))
        for key in waiting[: seats - len(prefilling) - len(decoding)]:
            room -= blocks(known(states[key]))
            if room < 0:
                break
            suffixes[key] = known(states[key]) - hits(states[key])
        decodes, chunks = policy(suffixes, list(decoding), budget, cap, reserve)

        for key, _ in chunks:
            if key in waiting:
                waiting.remove(key)
                prefilling.append(key)
                states[key].update(
                    computed=hits(states[key]), place="prefilling", admitted=admissions
                )
                admissions += 1
        pasts = {key: states[key]["computed"] for key, _ in chunks}
        finishing = [key for key, n in chunks if pasts[key] + n == known(states[key])]
        end = now + cost.iteration_ms(
            sum(n for _, n in chunks),
            sum(pasts.values()),
            sum(n * (pasts[key] + n / 2) for key, n in chunks),
            len(decodes),
            sum(states[key]["computed"] for key in decodes),
            len(decodes) + len(finishing),
        )
        iterations.append((now, end, list(decodes), [(key, n, pasts[key]) for key, n in chunks]))

        for key in decodes:
            states[key]["computed"] += 1
            states[key]["tokens"].append(end)
        for key, tokens in chunks:
            states[key]["computed"] += tokens
        for key in finishing:
            states[key]["tokens"].append(end)
            states[key]["place"] = "decoding"
            prefilling.remove(key)
            decoding.append(key)
        for key in list(decoding):
            if len(states[key]["tokens"]) == states[key]["output"]:
                decoding.remove(key)
                states[key]["place"] = "gone"
        now = end
    return iterations, states
