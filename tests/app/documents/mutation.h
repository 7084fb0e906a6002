/// Damage to the bytes of a document.
#pragma once

#include <algorithm>
#include <random>
#include <string>

namespace ingle::test {

/// One to four of: a bit, a byte, a digit, a piece that is taken away, doubled or moved, and the end cut off.
inline std::string mutated(std::string bytes, std::mt19937_64& random) {
    const auto below = [&](size_t bound) {
        return static_cast<size_t>(random() % std::max<size_t>(bound, 1));
    };
    for (size_t i = below(4) + 1; i > 0 && !bytes.empty(); --i) {
        const size_t at = below(bytes.size()), size = std::min(below(32) + 1, bytes.size() - at);
        switch (below(7)) {
            case 0:
                bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8));
                break;
            case 1:
                bytes[at] = static_cast<char>(below(256));
                break;
            case 2: {
                const size_t digit = bytes.find_first_of("0123456789", at);
                if (digit != std::string::npos) bytes[digit] = static_cast<char>('0' + below(10));
                break;
            }
            case 3:
                bytes.erase(at, size);
                break;
            case 4:
                bytes.insert(at, bytes.substr(at, size));
                break;
            case 5:
                bytes.insert(below(bytes.size()), bytes.substr(at, size));
                break;
            default:
                if (below(4) == 0) bytes.resize(at);
        }
    }
    return bytes;
}

}  // namespace ingle::test
