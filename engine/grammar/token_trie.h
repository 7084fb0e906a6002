/// Which tokens of a vocabulary may come next.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/grammar/matcher.h"
#include "ingle/types.h"

namespace ingle::grammar {

/// The bytes of a vocabulary in order, each with how many it shares with the one before: a trie that is read
/// from its beginning to its end. Immutable.
class TokenTrie {
  public:
    /// bytes[id] are those of a token; one without any is never allowed.
    explicit TokenTrie(const std::vector<std::string>& bytes);

    size_t numIds() const { return m_numIds; }
    /// [numIds()]: true for tokens that `matcher` accepts at `state`. Bytes that tokens share are looked at
    /// once.
    std::vector<bool> allowed(Matcher& matcher, Matcher::State state) const;

  private:
    struct Entry {
        uint32_t begin, size, shared;
        TokenId id;
    };

    size_t m_numIds;
    size_t m_longest = 0;
    std::string m_bytes;
    std::vector<Entry> m_entries;
};

}  // namespace ingle::grammar
