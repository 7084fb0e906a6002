/// Merging by rank, which byte-pair vocabularies have in common: a text begins as small symbols, and the pair
/// of lowest rank becomes one until no pair is left. Source: Sennrich et al., "Neural Machine Translation of
/// Rare Words with Subword Units" (2016), section 3.2.
#pragma once

#include <cstdint>
#include <limits>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/formats/model_file.h"
#include "ingle/result.h"

namespace ingle::tokenizer {

/// A token id, or a number past the vocabulary for a text that only occurs between merges.
using Symbol = uint32_t;
inline constexpr Symbol kNoSymbol = std::numeric_limits<Symbol>::max();

/// Symbols and ranked merges. Symbols below the vocabulary size are token ids.
class MergeTable {
  public:
    /// Control and unknown tokens take no part: plain text must not spell them.
    explicit MergeTable(const formats::TokenizerData& data);

    /// Errors: Corrupt.
    Status addMerges(const std::vector<std::string>& merges);
    Symbol intern(std::string text);

    struct Merge {
        uint32_t rank;
        Symbol joined;
    };
    const Merge* find(Symbol left, Symbol right) const;
    Symbol find(const std::string& text) const;

  private:
    static uint64_t key(Symbol left, Symbol right) { return uint64_t{left} << 32 | right; }

    std::unordered_map<std::string, Symbol> m_symbols;
    std::unordered_map<uint64_t, Merge> m_merges;
    Symbol m_nextSymbol;
};

/// Merges one word: the pair of lowest rank first, the leftmost of equals. O(n log n) in the symbols of the
/// word.
class WordMerger {
  public:
    explicit WordMerger(const MergeTable& table) : m_table(table) {}

    /// Another word, which is then added symbol by symbol; each stands for some of its bytes.
    void begin() { m_nodes.clear(); }
    void add(Symbol symbol, size_t bytes);
    /// A word whose symbols are its characters.
    void beginCharacters(std::string_view word);
    /// Calls `emit(symbol, bytes)` for each symbol that is left.
    template <typename Emit>
    void merge(std::string_view word, Emit emit) {
        mergeAll();
        for (size_t i = 0; i < m_nodes.size(); i = m_nodes[i].next)
            emit(m_nodes[i].symbol, word.substr(m_nodes[i].begin, m_nodes[i].size));
    }

  private:
    /// A symbol in a doubly linked list of positions; the one past the end has index m_nodes.size(). size 0:
    /// merged away.
    struct Node {
        Symbol symbol;
        size_t begin, size, previous, next;
    };
    struct Proposal {
        uint32_t rank;
        size_t left;
        Symbol leftSymbol, rightSymbol, joined;  // stale when the nodes hold others by now

        bool operator<(const Proposal& other) const {  // the queue gives the greatest first
            return rank != other.rank ? rank > other.rank : left > other.left;
        }
    };

    void mergeAll();
    void propose(size_t left);
    void apply(const Proposal& proposal);

    const MergeTable& m_table;
    std::vector<Node> m_nodes;
    std::priority_queue<Proposal> m_queue;
};

}  // namespace ingle::tokenizer
