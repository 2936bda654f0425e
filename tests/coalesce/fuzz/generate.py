#!/usr/bin/env python3
"""Writes CUDA kernels that allocate, for tests of rhizome-coalesce: generate.py SEED KERNELS SOURCE HARNESS [1d]

The kernels terminate for all arguments. Each allocation is on a line of its own. What a value or branch depends on is
drawn at random: arguments, the indices of thread and block, memory, atomics, shuffles, results of functions.
HARNESS runs the rewritten source (a file with the name of SOURCE, with "rewritten_" before it) on fuzz_runtime.hpp.
"""
import os
import random
import sys


class Writer:
    def __init__(self, dice):
        self.dice = dice
        self.lines = []
        self.depth = 0
        self.names = 0
        self.functions = []  # name, number of int parameters; each returns an int
        self.divergence = 0.3

    def put(self, text):
        self.lines.append("    " * self.depth + text)

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    # Scope: variables that may be read, and those of them that may be assigned.
    def atom(self, scope):
        d = self.dice
        if d.random() < self.divergence:
            return d.choice([
                "(int)threadIdx.x", "(int)threadIdx.y", "(int)threadIdx.x % 32", "(int)(threadIdx.x & 3)",
                "(int)(threadIdx.x / 32)", "(int)(threadIdx.x >> 5)", "(int)threadIdx.x / warpSize",
                f"data[{d.randrange(64)}]", "data[(a + b) & 63]", "data[threadIdx.x & 63]",
                f"(int)atomicAdd(&words[{d.randrange(8)}], 1u)", f"__shfl_sync(0xffffffffu, (int)a, {d.randrange(4)})" if d.random() < 0.1 else "(int)threadIdx.y * 2",
                "(int)(threadIdx.x + blockIdx.x * blockDim.x)", "(int)((threadIdx.x + 1) / 32)",
                "(int)(threadIdx.x / 16)", "(int)(threadIdx.x / 64)", "(int)(unsigned char)threadIdx.x / 32",
            ])
        choices = ["a", "b", "(int)blockIdx.x", "(int)blockDim.x", "(int)gridDim.x", str(d.randrange(12)),
                   f"limits[{d.randrange(4)}]", "limits[a & 3]", "warpSize"]
        if scope["read"]:
            choices += [d.choice(scope["read"]) for _ in range(6)]
        return d.choice(choices)

    def expression(self, scope, depth=2):
        d = self.dice
        if depth == 0 or d.random() < 0.35:
            return self.atom(scope)
        kind = d.randrange(16)
        one, two = self.expression(scope, depth - 1), self.expression(scope, depth - 1)
        if kind < 4:
            return f"({one} {d.choice(['+', '-', '*', '&', '^', '|'])} {two}) % 1000"
        if kind == 4:
            return f"{d.choice(['min', 'max'])}({one}, {two})"
        if kind == 5:
            return f"({self.condition(scope, depth - 1)} ? {one} : {two})"
        if kind == 6:
            return f"__popc((unsigned)({one}))"
        if kind == 7 and self.functions:
            return self.call(scope, depth - 1)
        if kind == 8 and scope["write"] and d.random() < 0.5:
            return f"({d.choice(scope['write'])} {d.choice(['=', '+='])} ({one}) % 50)"
        if kind == 9:
            return f"(({one}), ({two}))"
        if kind == 10:
            return f"{d.choice(['-', '~', '!', '+'])}({one})"
        if kind == 11:
            return f"({d.choice(['int)(float', 'int)(bool', 'int)(unsigned char', 'int)(long long', 'int)(double', 'int)(short'])})({one})"
        if kind == 12 and scope["write"]:
            target = d.choice(scope["write"])
            return d.choice([f"{target}++", f"++{target}", f"{target}--", f"(--{target} & 31)"])
        if kind == 13 and scope["read"]:
            return f"({self.condition(scope, 0)} ? {d.choice(scope['read'])} : {d.choice(scope['read'])})"
        if kind == 14:
            return f"(int)({one} < {two})"
        return f"({one}) / {d.choice([1, 2, 3, 32, 64])}"

    def condition(self, scope, depth=1):
        d = self.dice
        if d.random() < 0.2:
            return f"({d.choice(['', '!'])}({self.expression(scope, depth)}))"
        text = f"({self.expression(scope, depth)}) {d.choice(['<', '>', '==', '!=', '<=', '>='])} {d.randrange(12)}"
        if d.random() < 0.2:
            return f"({text} {d.choice(['&&', '||'])} ({self.expression(scope, depth)}) % 3 == {d.randrange(3)})"
        return f"({text})"

    def call(self, scope, depth=1):
        name, parameters = self.dice.choice(self.functions)
        return f"{name}({', '.join([self.expression(scope, depth) for _ in range(parameters)] + ['data', 'words'])})"

    def size(self, scope):
        return f"(unsigned)({self.expression(scope, 1)}) % 200 + 1"

    def allocate(self, scope):
        d = self.dice
        name = self.name("p")
        kind = d.randrange(10)
        if kind < 6:
            self.put(f"void* {name} = malloc({self.size(scope)});")
            if d.random() < 0.4:
                self.put(f"if ({name}) data[0] = 1;")
            if d.random() < 0.05:
                self.put(f"if (!{name}) return{scope['returned']};")
            self.put(f"free({name});")
        elif kind == 6:
            self.put(f"bool {name} = {self.condition(scope)} &&")
            self.put(f"    malloc({self.size(scope)}) != nullptr;")
            if d.random() < 0.3:
                scope["read"].append(name)
        elif kind == 7:
            self.put(f"void* {name} = {self.condition(scope)}")
            self.put(f"    ? malloc({self.size(scope)})")
            self.put(f"    : malloc({self.size(scope)});")
            self.put(f"free({name});")
        elif kind == 8:
            self.put(f"for (int i{name} = 0; i{name} < ({self.expression(scope, 1)}) % 4; ++i{name})")
            self.put(f"    free(malloc(({self.size(scope)}) + (unsigned)i{name}));")
        else:
            self.put(f"free(malloc({self.size(scope)}));")

    def declare(self, scope):
        d = self.dice
        name = self.name("v")
        kind = d.randrange(12)
        if kind < 8:
            self.put(f"int {name} = {self.expression(scope)};")
        elif kind == 8:
            self.put(f"int {name}[4] = {{{self.atom(scope)}, {self.atom(scope)}, 3, a}};")
            self.put(f"{name}[({self.expression(scope, 1)}) & 3] = {self.expression(scope, 1)};")
            scope["read"].append(f"{name}[{d.randrange(4)}]")
            scope["read"].append(f"{name}[a & 3]")
            scope["write"].append(f"{name}[b & 3]")
            return
        elif kind == 9:
            self.put(f"pair {name} = {{{self.atom(scope)}, {self.atom(scope)}}};")
            self.put(f"{name}.second = {self.expression(scope, 1)};")
            for member in ("first", "second"):
                scope["read"].append(f"{name}.{member}")
                scope["write"].append(f"{name}.{member}")
            return
        elif kind == 10 and d.random() < 0.25 and scope["write"]:
            other = d.choice([w for w in scope["write"]])
            self.put(f"int* q{name} = &{other};")
            self.put(f"*q{name} = {self.expression(scope, 1)};")
            self.put(f"free(malloc((unsigned){other} % 90 + 1));")
            self.put(f"int {name} = *q{name};")
        elif kind == 11 and d.random() < 0.25 and scope["write"]:
            other = d.choice(scope["write"])
            self.put(f"int& {name} = {other};")
            self.put(f"{name} = {self.expression(scope, 1)};")
            self.put(f"free(malloc((unsigned){other} % 90 + 1));")
        else:
            self.put(f"int const {name} = {self.expression(scope)};")
            scope["read"].append(name)
            return
        scope["read"].append(name)
        scope["write"].append(name)

    def block(self, scope, depth, in_loop, count=None):
        inner = {"read": list(scope["read"]), "write": list(scope["write"]), "returned": scope["returned"]}
        self.depth += 1
        for _ in range(count or self.dice.randrange(1, 5)):
            self.statement(inner, depth, in_loop)
            if in_loop and self.dice.random() < 0.08:
                self.allocate(inner)
                self.put(f"if ({self.condition(inner)}) {self.dice.choice(['break', 'continue'])};")
                self.allocate(inner)
        self.depth -= 1

    def statement(self, scope, depth, in_loop):
        d = self.dice
        kind = d.randrange(24)
        if kind < 5:
            self.allocate(scope)
        elif kind < 9:
            self.declare(scope)
        elif kind < 11 and scope["write"]:
            target = d.choice(scope["write"])
            self.put(f"{target} {d.choice(['=', '=', '+=', '^='])} ({self.expression(scope)}) % 100;")
        elif kind < 14 and depth > 0:
            self.put(f"if ({self.condition(scope)}) {{")
            self.block(scope, depth - 1, in_loop)
            if d.random() < 0.4:
                self.put("} else {")
                self.block(scope, depth - 1, in_loop)
            self.put("}")
        elif kind == 14 and depth > 0:
            i = self.name("i")
            self.put(f"for (int {i} = {d.randrange(2)}; {i} < ({self.expression(scope, 1)}) % 4; ++{i}) {{")
            self.block({**scope, "read": scope["read"] + [i]}, depth - 1, True)
            self.put("}")
        elif kind == 15 and depth > 0:
            i = self.name("i")
            self.put(f"int {i} = 0;")
            self.put(f"while ({i}++ < 3 && {self.condition(scope)}) {{")
            self.block({**scope, "read": scope["read"] + [i]}, depth - 1, True)
            self.put("}")
        elif kind == 16 and depth > 0:
            i = self.name("i")
            self.put(f"int {i} = 0;")
            self.put("do {")
            self.block({**scope, "read": scope["read"] + [i]}, depth - 1, True)
            self.put(f"}} while (++{i} < 3 && {self.condition(scope)});")
        elif kind == 17 and depth > 0:
            self.put(f"switch (({self.expression(scope)}) & 3) {{")
            for value in range(d.randrange(1, 4)):
                self.put(f"case {value}: {{")
                if d.random() < 0.3:
                    self.put(f"    if ({self.condition(scope)}) break;")
                    self.put(f"    free(malloc({self.size(scope)}));")
                self.block(scope, depth - 1, False, 2)  # continue leaves the loop's counting to the loop
                self.put("}")
                if d.random() < 0.3:
                    self.put(f"if ({self.condition(scope)}) break;")
                elif d.random() < 0.6:
                    self.put("break;")
            self.put("default: {")
            self.block(scope, depth - 1, False, 1)
            self.put("}")
            self.put("}")
        elif kind == 18 and in_loop:
            self.put(f"if ({self.condition(scope)}) {d.choice(['break', 'continue'])};")
        elif kind == 19 and d.random() < 0.35:
            self.put(f"if ({self.condition(scope)}) return{scope['returned']};")
        elif kind == 20 and self.functions:
            self.put(f"data[{d.randrange(64)}] = {self.call(scope)} % 30;")
        elif kind == 21:
            self.put(f"data[({self.expression(scope, 1)}) & 63] = ({self.expression(scope, 1)}) % 20;")
        elif kind == 22 and d.random() < 0.1 and scope["write"]:
            name = self.name("f")
            self.put(f"auto {name} = [&](int x) {{")
            self.depth += 1
            self.put(f"{d.choice(scope['write'])} = x;")
            self.put("free(malloc((unsigned)x % 100u + 1));")
            self.depth -= 1
            self.put("};")
            self.put(f"{name}({self.expression(scope, 1)});")
        elif kind == 23 and d.random() < 0.02:
            label = self.name("past")
            self.put(f"if ({self.condition(scope)}) goto {label};")
            self.put("data[1] = 4;")
            self.put(f"{label}:;")
        else:
            self.put(f"words[{d.randrange(8)}] += 1;")

    def function(self):
        name = self.name("f")
        parameters = self.dice.randrange(1, 3)
        arguments = ["a", "b"][:parameters]
        signature = ", ".join([f"int {x}" for x in arguments] + ["int* data", "unsigned* words"])
        self.put(f"__device__ int {name}({signature}) {{")
        if parameters == 1:
            self.put("    int b = 5;")
        scope = {"read": ["a", "b"], "write": ["a", "b"], "returned": f" {self.dice.choice(['a', '7', '(int)threadIdx.x'])}"}
        self.block(scope, 2, False, self.dice.randrange(1, 5))
        self.put(f"    return ({self.expression(scope)}) % 40;")
        self.put("}")
        self.functions.append((name, parameters))

    def kernel(self, number):
        self.divergence = self.dice.choice([0.01, 0.04, 0.1, 0.25])
        self.functions = self.functions[-2:] if self.dice.random() < 0.7 else []
        if self.dice.random() < 0.6:
            self.function()
        self.put(f"__global__ void kernel_{number}(int a, int b, int* data, unsigned* words) {{")
        scope = {"read": ["a", "b"], "write": ["a", "b"], "returned": ""}
        self.block(scope, 3, False, self.dice.randrange(5, 14))
        self.put("}")


def main():
    seed, kernels, source, harness = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    flat = "true" if "1d" in sys.argv[5:] else "false"
    writer = Writer(random.Random(seed))
    writer.put("struct pair { int first; int second; };")
    writer.put("__constant__ int limits[4] = {3, 1, 4, 2};")
    for number in range(kernels):
        writer.kernel(number)
    with open(source, "w") as file:
        file.write("\n".join(writer.lines) + "\n")
    with open(harness, "w") as file:
        file.write('#include "fuzz_runtime.hpp"\n')
        file.write(f'#include "{os.path.join(os.path.dirname(os.path.abspath(source)), "rewritten_" + os.path.basename(source))}"\n')
        file.write("int main() {\n")
        for number in range(kernels):
            file.write(f'    fuzz::check("kernel_{number}", kernel_{number}, {flat}, {seed * 1000 + number}u);\n')
        file.write("    return fuzz::report();\n}\n")


main()
