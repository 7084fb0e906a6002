#!/usr/bin/env python3
"""What an invocation of a shader executes in one turn of its longest loop, by kind:

    tools/shader_loops.py build/release/generated/shaders/matmul_halves_q4_0.spv 0=256 1=128 2=128 …

The arguments behind the file are specialization constants. Loops that they make constant are unrolled, as drivers do.
Vectors count once for each 32 bits, matrices once. Addresses, branches and moves between registers are not counted.
"buffer bytes" is what a turn loads of buffers; "indexed arrays" are accesses to arrays by something that is not a
constant, which a driver has to keep in memory. Both branches of a condition count. With --whole: the whole shader, each
loop that is left once.
"""
import argparse
import collections
import re
import subprocess
import tempfile

TURN = ["--scalar-replacement=0", "--ssa-rewrite", "--ccp", "--loop-unroll", "-O"]  # unrolls the innermost loops
PASSES = ["--freeze-spec-const", "--fold-spec-const-op-composite", "-O", *4 * TURN, "--strip-debug"]
INTEGERS = re.compile(r"Op(I|U|S|Shift|Bitwise|BitField|BitCount|Not$|Logical|Select$)")
FLOATS = re.compile(r"OpF(Add|Sub|Mul|Div|Negate|Ord|Unord)|OpDot$|OpVectorTimesScalar")
CONVERSIONS = re.compile(r"OpConvert|Op[FSU]Convert|OpQuantize")
KINDS_OF_EXTENDED = {
    "Exp": "exponentials", "Exp2": "exponentials", "PackHalf2x16": "conversions", "UnpackHalf2x16": "conversions",
    "UMin": "integers", "UMax": "integers", "SMin": "integers", "SMax": "integers", "UClamp": "integers"
}
KINDS = ("matrix products", "matrix loads", "matrix stores", "buffer loads", "buffer bytes", "shared loads",
         "shared stores", "buffer stores", "dots of bytes", "integers", "floats", "conversions", "exponentials",
         "subgroup operations", "barriers", "indexed arrays")


class Shader:
    def __init__(self, path, constants):
        with tempfile.NamedTemporaryFile(suffix=".spv") as specialized:
            values = " ".join(f"{key}:{value}" for key, value in constants)
            chosen = ["--set-spec-const-default-value", values] if values else []
            subprocess.run(["spirv-opt", *chosen, *PASSES, path, "-o", specialized.name], check=True)
            text = subprocess.run(["spirv-dis", "--raw-id", "--no-color", specialized.name], check=True,
                                  capture_output=True, text=True).stdout
        self.types, self.classes, self.constants, self.typeOf = {}, {}, {}, {}
        self.blocks, self.next, self.merges = collections.OrderedDict(), {}, {}
        block = None
        for line in text.splitlines():
            words = line.split(";")[0].split()
            if not words:
                continue
            result = words[0] if len(words) > 1 and words[1] == "=" else None
            opcode, *operands = words[2:] if result else words
            if opcode.startswith("OpType"):
                self.types[result] = (opcode, operands)
            elif opcode == "OpConstant":
                self.constants[result] = int(operands[1]) if operands[1].isdigit() else 0
            elif opcode == "OpLabel":
                block = result
                self.blocks[block], self.next[block] = [], []
            elif block:
                if opcode in ("OpBranch", "OpBranchConditional", "OpSwitch"):
                    targets = operands if opcode == "OpBranch" else operands[1:]
                    self.next[block] = [word for word in targets if word.startswith("%")]
                elif opcode == "OpLoopMerge":
                    self.merges[block] = operands[0]
                self.blocks[block].append((opcode, operands, result))
            if result and operands and operands[0] in self.types:
                self.typeOf[result] = operands[0]

    def bits(self, name):
        opcode, operands = self.types[name]
        if opcode in ("OpTypeInt", "OpTypeFloat"):
            return int(operands[0 if opcode == "OpTypeFloat" or len(operands) else 1])
        if opcode == "OpTypeVector":
            return self.bits(operands[0]) * int(operands[1])
        if opcode == "OpTypeArray":
            return self.bits(operands[0]) * self.constants[operands[1]]
        if opcode == "OpTypeStruct":
            return sum(self.bits(member) for member in operands)
        return 32  # a truth; matrices count once

    def weight(self, name):
        return max(self.bits(name) // 32, 1)

    def count(self, block):
        counts = collections.Counter()
        for opcode, operands, result in self.blocks[block]:
            kind = None
            if "CooperativeMatrix" in opcode:
                kind = next((name for part, name in (("MulAdd", "matrix products"), ("Load", "matrix loads"),
                                                     ("Store", "matrix stores")) if part in opcode), None)
            elif opcode in ("OpLoad", "OpStore"):
                pointer = self.types[self.typeOf[operands[1 if opcode == "OpLoad" else 0]]][1]
                place = {"StorageBuffer": "buffer", "Uniform": "buffer", "Workgroup": "shared"}.get(pointer[0])
                if place:
                    kind = f"{place} {'loads' if opcode == 'OpLoad' else 'stores'}"
                    if kind == "buffer loads":
                        counts["buffer bytes"] += self.bits(pointer[1]) // 8
                    counts[kind] += 1
                continue
            elif opcode in ("OpAccessChain", "OpInBoundsAccessChain"):
                pointer = self.types[operands[0]][1]
                isConstant = all(index in self.constants for index in operands[2:])
                counts["indexed arrays"] += pointer[0] in ("Function", "Private") and not isConstant
                continue
            elif opcode.startswith("OpSDot") or opcode.startswith("OpUDot"):
                kind = "dots of bytes"
            elif opcode.startswith("OpGroup"):
                kind = "subgroup operations"
            elif opcode == "OpControlBarrier":
                kind = "barriers"
            elif opcode == "OpExtInst":
                kind = KINDS_OF_EXTENDED.get(operands[2], "floats")
            elif CONVERSIONS.match(opcode):
                kind = "conversions"
            elif FLOATS.match(opcode):
                kind = "floats"
            elif INTEGERS.match(opcode):
                kind = "integers"
            if kind:
                counts[kind] += self.weight(operands[0]) if result and kind in ("integers", "floats") else 1
        return counts

    def loop(self, header):
        seen, open_ = set(), [header]
        while open_:
            block = open_.pop()
            if block not in seen and block != self.merges[header]:
                seen.add(block)
                open_ += self.next[block]
        return seen

    def main_loop(self):
        """The innermost of those with the most products; where there are none, the longest."""
        products = re.compile("MulAdd|OpSDot")
        loops = [self.loop(header) for header in self.merges]
        inside = [[each[0] for block in blocks for each in self.blocks[block]] for blocks in loops]
        numbers = [sum(bool(products.search(opcode)) for opcode in opcodes) for opcodes in inside]
        most = max(numbers)
        sign = -1 if most else 1
        return max(zip(numbers, (sign * len(opcodes) for opcodes in inside), loops), key=lambda each: each[:2])[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shader")
    parser.add_argument("constants", nargs="*", metavar="ID=VALUE", help="true is 1")
    parser.add_argument("--whole", action="store_true")
    options = parser.parse_args()
    shader = Shader(options.shader, [pair.split("=") for pair in options.constants])
    total = sum((shader.count(block) for block in (shader.blocks if options.whole else shader.main_loop())),
                collections.Counter())
    for kind in KINDS:
        if total[kind]:
            print(f"{total[kind]:6} {kind}")


if __name__ == "__main__":
    main()
