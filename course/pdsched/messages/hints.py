"""Three levels of hints per TODO: where to look, what is easily missed, and a plan in words.

No level holds code or the final expression; the last one leaves the decisive step to the learner.
"""

from pdsched.messages import Message, register

CATALOG = {
    "hints.todo1.1": Message(
        zh="每个请求只有两个是非题：输入长不长？生成长不长？先在纸上画 2×2 的表，把三类填进四个格子。",
        en="Each request answers two yes/no questions: is the prompt long? is the output long? Draw the 2×2 table and fill in the three classes.",
    ),
    "hints.todo1.2": Message(
        zh="容易漏的两处：生成用的界不是 long_prompt_threshold 本身，规格里写了它除以几；“恰好等于界”还不算长。另外字段可能缺失。",
        en="Easily missed: outputs are not measured against long_prompt_threshold itself (the spec says what it is divided by), and exactly at the threshold is not long. Fields may be missing too.",
    ),
    "hints.todo1.3": Message(
        zh="计划：①先准备三个键都为 0 的字典；②逐个请求取两个数，缺了当 0；③算出两个布尔值；④只有一个为真时落在哪两类？两个布尔值相同时呢？给那一类加一。",
        en="A plan: (1) start with a dict of three zeros; (2) per request take both numbers, 0 if missing; (3) compute two booleans; (4) which class if exactly one is true, and which if both agree? Add one there.",
    ),
    "hints.todo2.1": Message(
        zh="想象每次从 suffix 的开头拿走至多 chunk_size 个 token，直到拿完。拿第 k 次时，起点在哪里？",
        en="Imagine taking at most chunk_size tokens from the front until none is left. Where does the k-th take start?",
    ),
    "hints.todo2.2": Message(
        zh="Python 的切片越过末尾不会报错，尾块自然变短。先处理不合法的 chunk_size，而且空 suffix 也要先检查它。别用会改动原列表的 pop 或 del。",
        en="A slice may run past the end: the tail gets shorter by itself. Refuse a bad chunk_size first, even for an empty suffix. Avoid pop and del, which change the caller's list.",
    ),
    "hints.todo2.3": Message(
        zh="计划：①chunk_size 不是正数就抛 ValueError；②起点依次是 0、chunk_size、2×chunk_size……到 suffix 的长度为止（range 的第三个参数）；③每个起点切出一段，收进列表返回。",
        en="A plan: (1) ValueError unless chunk_size is positive; (2) the starts are 0, chunk_size, 2×chunk_size … up to the length (range's third argument); (3) cut one piece per start and collect them.",
    ),
    "hints.todo3.1": Message(
        zh="把“还剩多少预算”当成唯一的状态。三种策略只是同样两个动作（放 Decode、放 Prefill 块）的不同先后和次数。",
        en="Let the budget left be the only state. The three policies are the same two actions (place decodes, place prefill chunks) in different order and number.",
    ),
    "hints.todo3.2": Message(
        zh="一块的大小同时受三个数限制：这个 suffix 的长度、块上限、剩余预算。balanced 有三步：预留、Prefill、然后别忘了把剩余预算给其余 Decode。非法输入有六种，放在最前面检查。",
        en="A chunk is limited by three numbers: the suffix, the chunk cap and the budget left. balanced has three steps: the reserve, prefill, and then the other decodes with what is left. Six kinds of bad input come first.",
    ),
    "hints.todo3.3": Message(
        zh="计划：①逐条检查输入；②写“最多放 n 个 Decode”的步骤：取还没放的前几个，受 n 和剩余预算限制；③写“放 Prefill 块”的步骤：按字典顺序，每个请求一块，大小为 0 就跳过；④按策略排列这两步（balanced 里第一步的 n 是预留数，最后一步不再限制 n）；⑤由剩余预算算出 used_tokens，六个字段一起返回。",
        en="A plan: (1) check the input, rule by rule; (2) a step that places at most n decodes: the next ones in order, limited by n and the budget left; (3) a step that places chunks: in dict order, one per request, skipping size 0; (4) order the steps by policy (in balanced the first n is the reserve, the last step has no n); (5) derive used_tokens from what is left and return the six fields.",
    ),
    "hints.todo4.1": Message(
        zh="和 TODO 1 是同一张 2×2 的表，但这次每个格子里放的是名字，不是计数。",
        en="The same 2×2 table as TODO 1, but this time the cells hold names, not counts.",
    ),
    "hints.todo4.2": Message(
        zh="这里生成有自己的阈值 long_decode_threshold，不再是除出来的。shared_pool 收的是两种“同长同短”的请求。没有 name 的请求也要有一个默认名。",
        en="Outputs now have their own threshold, long_decode_threshold; nothing is divided. shared_pool takes both kinds that agree. A request without a name needs the default one.",
    ),
    "hints.todo4.3": Message(
        zh="计划：①三个空列表；②逐个请求取名字和两个数（都有默认值）；③算出两个布尔值；④用 if / elif / else 让每个请求恰好追加到一个列表；⑤三个列表放进字典返回。",
        en="A plan: (1) three empty lists; (2) per request take the name and both numbers, all with defaults; (3) two booleans; (4) if / elif / else so that each request is appended exactly once; (5) return the three lists in a dict.",
    ),
    "hints.todo5.1": Message(
        zh="先把三个数算对（谁减谁？），再回答三个是非题，最后把它们合成一个决定。",
        en="First get the three numbers right (which minus which?), then answer three yes/no questions, then combine them.",
    ),
    "hints.todo5.2": Message(
        zh="三个问题的等号各不相同：吞吐持平不算提升，P95 持平算不变差，交接等于预算算在内。keep_split 要是 True 或 False 本身，不是 1、不是数值。",
        en="Equality is different in each question: equal throughput is no gain, an equal P95 is not worse, a handoff equal to the budget is within it. keep_split is True or False itself, not a number.",
    ),
    "hints.todo5.3": Message(
        zh="计划：①用带默认值 0.0 的取法读每个字段；②两个差都是“分池减基线”；③写出三个比较，各用哪个比较号？④三个比较都成立才保留；⑤三个数和决定一起返回。",
        en="A plan: (1) read each field with the default 0.0; (2) both differences are split run minus baseline; (3) write three comparisons: which operator each? (4) keep only if all three hold; (5) return the three numbers and the decision.",
    ),
    "hints.title": Message(zh="TODO {todo} · 提示 {level}/3", en="TODO {todo} · hint {level} of 3"),
    "hints.more": Message(
        zh="还不够？再运行一次 hint({todo})。", en="Not enough? Run hint({todo}) once more."
    ),
    "hints.last": Message(
        zh="这是最后一级。写出来运行 check({todo})；实在写不出，可以运行 solution({todo}, give_up=True)。",
        en="This is the last one. Write it and run check({todo}); if it will not come, solution({todo}, give_up=True).",
    ),
}

register(CATALOG)
