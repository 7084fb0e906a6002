/// The few opcodes of Python's pickle that describe a dictionary of tensors. Nothing is executed: a call is
/// accepted only if it makes a tensor, a parameter or a dictionary, and everything else is refused by its
/// name. Sources: Python's Lib/pickletools.py (opcodes), PyTorch's torch/_utils.py and torch/serialization.py
/// (what a state dict is made of).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/io/byte_reader.h"

namespace ingle::formats {

struct PickleNode {
    enum class Kind : uint8_t {
        None,
        Bool,
        Integer,
        Float,
        Text,
        List,  ///< or tuple
        Dictionary,
        Global,   ///< text: "module name"
        Storage,  ///< text: its key; integer: its numbers; items: the global that is its type
        Tensor,   ///< items: storage, first number, sizes, strides
    };
    Kind kind = Kind::None;
    int64_t integer = 0;
    std::string_view text = {};        ///< of the bytes that were read
    std::vector<uint32_t> items = {};  ///< of lists; of dictionaries key, value, key, value, …
};

/// Objects by number. They may hold each other in a circle; whoever walks through them looks at names only.
class Pickle {
  public:
    /// Reads one pickle, up to its end. Errors: Corrupt; Unsupported, naming the opcode or the call.
    static Result<Pickle> read(io::ByteReader& in);

    const PickleNode& root() const { return m_nodes[m_root]; }
    const PickleNode& node(uint32_t number) const { return m_nodes[number]; }

  private:
    friend class PickleReader;

    std::vector<PickleNode> m_nodes;
    uint32_t m_root = 0;
};

}  // namespace ingle::formats
