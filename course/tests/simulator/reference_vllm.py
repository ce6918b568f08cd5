"""vLLM V1's step, written the long way: plain dictionaries and lists, one token at a time.

No classes of the package, no counters kept across steps except what a request is. Used to try
our scheduler on scenarios that nobody recorded.
"""


def blocks(tokens, block_size):
    return (tokens + block_size - 1) // block_size


def plans(settings, arrivals):
    """The plan of each step for ``arrivals`` = {step: [(id, prompt, output), …]}."""
    requests, waiting, running, made = {}, [], [], []
    step = 0
    while True:
        for request_id, prompt, output in arrivals.get(step, []):
            requests[request_id] = {
                "prompt": prompt, "output": output, "computed": 0, "sampled": 0, "blocks": 0,
            }  # fmt: skip
            waiting.append(request_id)
        if not running and not waiting and not any(later > step for later in arrivals):
            return made
        plan = one_step(settings, requests, waiting, running)
        for request_id, tokens in plan.items():
            finish_step(requests[request_id], tokens, running, request_id)
        made.append(plan)
        step += 1


def one_step(settings, requests, waiting, running):
    size = settings["block_size"]
    usable = settings["num_kv_blocks"] - 1
    budget = settings["max_num_batched_tokens"]
    threshold = settings["long_prefill_token_threshold"]
    if len(running) + len(waiting) <= 1 or threshold == 0:
        threshold = 10**9
    plan = {}
    someone_gave_way = False

    def free():
        return usable - sum(request["blocks"] for request in requests.values())

    def missing(request):
        return request["prompt"] + request["sampled"] - request["computed"]

    for request_id in list(running):
        if budget == 0 or request_id not in running:
            break
        request = requests[request_id]
        tokens = min(missing(request), threshold, budget)
        needed = blocks(request["computed"] + tokens, size)
        while needed - request["blocks"] > free():
            victim = running.pop()
            requests[victim].update(computed=0, blocks=0)
            waiting.insert(0, victim)
            someone_gave_way = True
            if victim == request_id:
                break
        if request_id not in running:
            break
        request["blocks"] = max(request["blocks"], needed)
        plan[request_id] = tokens
        budget -= tokens

    while waiting and not someone_gave_way and budget > 0:
        if len(running) == settings["max_num_seqs"]:
            break
        request = requests[waiting[0]]
        tokens = min(missing(request), threshold)
        if not settings["enable_chunked_prefill"] and tokens > budget:
            break
        tokens = min(tokens, budget)
        if blocks(request["prompt"] + request["sampled"], size) > free():
            break
        request_id = waiting.pop(0)
        running.append(request_id)
        request["blocks"] = blocks(tokens, size)
        plan[request_id] = tokens
        budget -= tokens
    return plan


def finish_step(request, tokens, running, request_id):
    request["computed"] += tokens
    if request["computed"] == request["prompt"] + request["sampled"]:
        request["sampled"] += 1
        if request["sampled"] == request["output"]:
            request["blocks"] = 0
            running.remove(request_id)
