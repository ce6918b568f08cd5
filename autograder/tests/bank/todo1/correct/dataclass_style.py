from dataclasses import asdict, dataclass


@dataclass
class Mix:
    prefill_heavy: int = 0
    decode_heavy: int = 0
    mixed: int = 0


@dataclass(frozen=True)
class Shape:
    prompt_tokens: int = 0
    decode_tokens: int = 0


def summarize_request_mix(requests, long_prompt_threshold):
    mix = Mix()
    for request in requests:
        shape = Shape(request.get("prompt_tokens", 0), request.get("decode_tokens", 0))
        heavy = shape.prompt_tokens > long_prompt_threshold
        chatty = shape.decode_tokens > long_prompt_threshold // 8
        if heavy == chatty:
            mix.mixed += 1
        elif heavy:
            mix.prefill_heavy += 1
        else:
            mix.decode_heavy += 1
    return asdict(mix)
