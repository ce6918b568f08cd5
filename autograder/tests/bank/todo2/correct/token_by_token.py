class Chunker:
    def __init__(self, size):
        self.size = size
        self.done = []
        self.open = []

    def push(self, token):
        self.open.append(token)
        if len(self.open) == self.size:
            self.flush()

    def flush(self):
        if self.open:
            self.done.append(self.open)
            self.open = []


def build_chunked_prefill_plan(suffix_tokens, chunk_size):
    if chunk_size <= 0:
        raise ValueError(f"chunk_size={chunk_size}")
    chunker = Chunker(chunk_size)
    for token in suffix_tokens:
        chunker.push(token)
    chunker.flush()
    return chunker.done
