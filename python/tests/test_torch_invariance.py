"""Checks of batch invariance and determinism of serving and training engines, in small, within onefold.torch.exact().

vLLM's: products, norms, softmax and means of a batch against those of each row alone; a needle among other
prompts, whose tokens and log-probabilities are the same in any batch, and token by token with a cache of keys.
TransformerEngine's: bits of repeated steps; gradients with activations computed anew.
"""

import threading

import pytest

torch = pytest.importorskip("torch", exc_type=ImportError, reason="torch is not installed")
F = torch.nn.functional

import onefold.torch  # noqa: E402

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
DTYPES = [torch.float32, torch.bfloat16]


def weights(x, rows):
    return torch.linspace(-100, 100, rows * x.shape[1], device=x.device).to(x.dtype).reshape(rows, -1)


BY_ROW = {
    "mm": lambda x: x @ weights(x, 24).T,
    "linear": lambda x: F.linear(x, weights(x, 16)),
    "rms_norm": lambda x: F.rms_norm(x, x.shape[1:]),
    "layer_norm": lambda x: F.layer_norm(x, x.shape[1:]),
    "log_softmax": lambda x: F.log_softmax(x, 1),
    "mean": lambda x: x.mean(1),
    "logsumexp": lambda x: x.logsumexp(1),
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", BY_ROW)
def test_a_row_has_the_bits_that_it_has_alone(name, dtype, device):
    f = BY_ROW[name]
    for rows, width in ((1, 64), (7, 33), (32, 96)):
        spread = torch.linspace(-100, 100, rows * width, device=device).to(dtype).reshape(rows, width)
        small = torch.randn(rows, width, generator=torch.Generator().manual_seed(rows)).to(device, dtype) * 1e-4
        for x in (spread, small):
            with onefold.torch.exact():
                whole = f(x)
                again, turned = f(x), f(x.flip(0)).flip(0)
                alone = torch.cat([f(x[k:k + 1]) for k in range(rows)])
            assert whole.isfinite().all()
            for other in (again, turned, alone):
                assert torch.equal(whole, other)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_linear_adds_its_bias_within_the_one_rounding_whatever_the_strides(dtype, device):
    torch.manual_seed(0)
    layer, x = torch.nn.Linear(64, 50).to(device, dtype), torch.randn(4, 9, 64).to(device, dtype)
    views = [lambda x: x, lambda x: x[:, -1:], lambda x: x[:, 2:5], lambda x: x.flip(1)[:, ::2], lambda x: x[:, 3],
             lambda x: x[:, None].expand(-1, 2, -1, -1)]
    for context in (torch.no_grad, torch.inference_mode, torch.enable_grad):
        with context(), onefold.torch.exact():
            for view in views:
                whole = layer(view(x))
                assert torch.equal(whole, torch.cat([layer(view(x[k:k + 1])) for k in range(4)]))
                assert torch.equal(whole, onefold.torch.addmm(layer.bias, view(x).reshape(-1, 64), layer.weight.T).reshape(whole.shape))
            assert torch.equal(layer(x[1, 2]), layer(x)[1, 2])
            empty = layer(x[:0])
            assert empty.shape == (0, 9, 50)
    with torch.no_grad():
        before = layer(x[:, -1:])
        with onefold.torch.exact():
            others = []
            elsewhere = threading.Thread(target=lambda: others.append(torch.no_grad()(layer)(x[:, -1:])))
            elsewhere.start()
            elsewhere.join()
        assert torch.equal(others[0], before) and torch.equal(layer(x[:, -1:]), before)  # torch's own


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("first", [True, False])
def test_recurrent_layers_and_attention_do_not_depend_on_the_batch(first, device):
    torch.manual_seed(1)
    lstm = torch.nn.LSTM(32, 24, batch_first=first).to(device)
    block = torch.nn.TransformerEncoderLayer(32, 4, 48, batch_first=first).to(device).eval()
    x = torch.randn(3, 5, 32).to(device)
    turn = (lambda t: t) if first else (lambda t: t.transpose(0, 1))
    for context in (torch.no_grad, torch.enable_grad):
        with context(), onefold.torch.exact(), torch.backends.cudnn.flags(enabled=False), torch.backends.mkldnn.flags(enabled=False):
            for f in (lambda x: turn(lstm(turn(x))[0]), lambda x: turn(block(turn(x)))):
                assert torch.equal(f(x), torch.cat([f(x[k:k + 1]) for k in range(3)]))


def test_other_threads_may_call_linear_while_modes_come_and_go():
    layer, x, failed = torch.nn.Linear(16, 16), torch.randn(3, 5, 16), []

    def call():
        try:
            with torch.no_grad():
                for _ in range(1500):
                    layer(x)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=call) for _ in range(3)]
    for t in threads:
        t.start()
    with torch.no_grad():
        for _ in range(300):
            with onefold.torch.exact():
                layer(x)
    for t in threads:
        t.join()
    assert not failed


class Decoder(torch.nn.Module):
    """A language model of two causal layers; returns logits, and keys and values for the next token."""

    def __init__(self, width=32, heads=4, words=40, most=64):
        super().__init__()
        torch.manual_seed(4)
        self.heads = heads
        self.word, self.place = torch.nn.Embedding(words, width), torch.nn.Embedding(most, width)
        self.layers = torch.nn.ModuleList(
            torch.nn.ModuleDict({"qkv": torch.nn.Linear(width, 3 * width), "out": torch.nn.Linear(width, width),
                                 "up": torch.nn.Linear(width, 2 * width), "down": torch.nn.Linear(2 * width, width)})
            for _ in range(2))
        self.head = torch.nn.Linear(width, words)

    def forward(self, tokens, kept=None, recompute=False):
        begin = 0 if kept is None else kept[0][0].shape[2]
        x = self.word(tokens) + self.place(torch.arange(begin, begin + tokens.shape[1], device=tokens.device))
        keeps = []
        for k, layer in enumerate(self.layers):
            before = None if kept is None else kept[k]
            if recompute:
                x, keep = torch.utils.checkpoint.checkpoint(self.layer, layer, x, before, use_reentrant=False)
            else:
                x, keep = self.layer(layer, x, before)
            keeps.append(keep)
        return self.head(F.rms_norm(x, x.shape[2:])), keeps

    def layer(self, layer, x, kept):
        batch, length, width = x.shape
        q, k, v = layer["qkv"](F.rms_norm(x, (width,))).reshape(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        if kept is not None:
            k, v = torch.cat([kept[0], k], 2), torch.cat([kept[1], v], 2)
        seen = torch.ones(length, k.shape[2], dtype=torch.bool, device=x.device).tril(k.shape[2] - length)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=seen)
        x = x + layer["out"](mixed.transpose(1, 2).reshape(x.shape))
        return x + layer["down"](F.gelu(layer["up"](F.rms_norm(x, (width,))))), (k, v)


def generate(model, tokens, count):
    """Chooses the likeliest tokens after each prompt; returns their log-probabilities; uses a cache."""
    logits, kept = model(tokens)
    chosen, found = [], []
    for _ in range(count):
        probabilities = F.log_softmax(logits[:, -1], 1)
        best = probabilities.argmax(1, keepdim=True)
        chosen.append(best)
        found.append(probabilities.gather(1, best))
        logits, kept = model(best, kept)
    return torch.cat(chosen, 1), torch.cat(found, 1)


@pytest.mark.parametrize("device", DEVICES)
def test_a_needle_gets_the_same_tokens_in_any_batch(device):
    model = Decoder().to(device)
    r = torch.Generator().manual_seed(6)
    needle = torch.randint(40, (1, 9), generator=r).to(device)
    with torch.no_grad(), onefold.torch.exact():
        tokens, found = generate(model, needle, 5)
        for batch, at in ((2, 1), (5, 0), (12, 7)):
            prompts = torch.randint(40, (batch, 9), generator=r).to(device)
            prompts[at] = needle[0]
            theirs, others = generate(model, prompts, 5)
            assert torch.equal(theirs[at], tokens[0]) and torch.equal(others[at], found[0])
        # The whole text at once gives the same logits as token by token.
        text = torch.cat([needle, tokens], 1)
        logits = F.log_softmax(model(text)[0], 2)[:, 8:-1]
        assert torch.equal(logits.gather(2, tokens[..., None])[..., 0], found)


@pytest.mark.parametrize("device", DEVICES)
def test_steps_have_the_same_bits_again_and_with_activations_computed_anew(device):
    model = Decoder().to(device)
    tokens = torch.randint(40, (6, 8), generator=torch.Generator().manual_seed(7)).to(device)

    def step(tokens, recompute):
        logits, _ = model(tokens[:, :-1], recompute=recompute)
        loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        return [loss.detach(), *torch.autograd.grad(loss, list(model.parameters()))]

    with onefold.torch.exact():
        once = step(tokens, False)
        for other in (step(tokens, False), step(tokens, True), step(tokens.flip(0), False)):
            assert all(torch.equal(a, b) for a, b in zip(once, other))
