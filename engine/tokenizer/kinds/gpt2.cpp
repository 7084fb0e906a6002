// Byte-level BPE as GGUF files of model "gpt2" hold it: tokens in the byte alphabet of GPT-2, and ranked
// merges. Source: GPT-2's published encoder; the fallback for symbols outside the vocabulary is llama.cpp's.
#include <algorithm>
#include <array>
#include <limits>
#include <queue>
#include <unordered_map>

#include "engine/tokenizer/pretokenizer.h"
#include "engine/tokenizer/special_tokens.h"
#include "engine/tokenizer/utf8.h"

namespace ingle::tokenizer {
namespace {

using formats::TokenizerData;
using formats::TokenType;

/// A token id, or a number past the vocabulary for a text that only occurs between merges.
using Symbol = uint32_t;
constexpr Symbol kNoSymbol = std::numeric_limits<Symbol>::max();

/// The printable character that stands for each byte: itself for printable Latin-1, else U+0100 onwards in
/// order.
std::array<std::string, 256> makeByteAlphabet() {
    const auto isPrintable = [](unsigned byte) {
        return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    };
    std::array<std::string, 256> alphabet;
    unsigned next = 0x100;
    for (unsigned byte = 0; byte < 256; ++byte) {
        const unsigned codePoint = isPrintable(byte) ? byte : next++;
        if (codePoint < 0x80)
            alphabet[byte] = static_cast<char>(codePoint);
        else
            alphabet[byte] = {static_cast<char>(0xC0 | codePoint >> 6),
                              static_cast<char>(0x80 | (codePoint & 0x3F))};
    }
    return alphabet;
}

const std::array<std::string, 256>& byteAlphabet() {
    static const auto alphabet = makeByteAlphabet();
    return alphabet;
}

/// Token text in the byte alphabet → bytes; characters outside it stay.
std::string toBytes(std::string_view text) {
    static const auto byteOf = [] {
        std::unordered_map<std::string_view, char> map;
        for (size_t byte = 0; byte < 256; ++byte) map[byteAlphabet()[byte]] = static_cast<char>(byte);
        return map;
    }();
    std::string bytes;
    while (!text.empty()) {
        const std::string_view character = text.substr(0, firstUtf8Part(text).bytes);
        const auto it = byteOf.find(character);
        if (it != byteOf.end())
            bytes += it->second;
        else
            bytes += character;
        text.remove_prefix(character.size());
    }
    return bytes;
}

/// Symbols and ranked merges. Symbols below the vocabulary size are token ids.
class MergeTable {
  public:
    /// Control and unknown tokens take no part: plain text must not spell them.
    explicit MergeTable(const TokenizerData& data) : m_nextSymbol(static_cast<Symbol>(data.tokens.size())) {
        m_symbols.reserve(data.tokens.size() + data.merges.size() / 8);
        for (size_t id = 0; id < data.tokens.size(); ++id) {
            const TokenType type = data.types.empty() ? TokenType::Normal : data.types[id];
            if (type != TokenType::Control && type != TokenType::Unknown)
                m_symbols[data.tokens[id]] = static_cast<Symbol>(id);
        }
        for (size_t byte = 0; byte < 256; ++byte) m_byteSymbols[byte] = intern(byteAlphabet()[byte]);
    }

    Status addMerges(const std::vector<std::string>& merges) {
        m_merges.reserve(merges.size());
        for (size_t rank = 0; rank < merges.size(); ++rank) {
            const std::string_view line = merges[rank];
            const size_t space = line.find(' ', 1);
            if (space == std::string_view::npos || space + 1 == line.size())
                return fail(ErrorCode::Corrupt, "merge {} is not a pair of texts", rank);
            const std::string_view left = line.substr(0, space);
            const std::string_view right = line.substr(space + 1);
            const Symbol joined = intern(std::string(left).append(right));
            m_merges.try_emplace(key(intern(std::string(left)), intern(std::string(right))),
                                 Merge{static_cast<uint32_t>(rank), joined});
        }
        return {};
    }

    struct Merge {
        uint32_t rank;
        Symbol joined;
    };
    const Merge* find(Symbol left, Symbol right) const {
        const auto it = m_merges.find(key(left, right));
        return it == m_merges.end() ? nullptr : &it->second;
    }
    Symbol byteSymbol(uint8_t byte) const { return m_byteSymbols[byte]; }
    Symbol find(const std::string& text) const {
        const auto it = m_symbols.find(text);
        return it == m_symbols.end() ? kNoSymbol : it->second;
    }

  private:
    static uint64_t key(Symbol left, Symbol right) { return uint64_t{left} << 32 | right; }

    Symbol intern(std::string text) {
        const auto [it, isNew] = m_symbols.try_emplace(std::move(text), m_nextSymbol);
        if (isNew) ++m_nextSymbol;
        return it->second;
    }

    std::unordered_map<std::string, Symbol> m_symbols;
    std::unordered_map<uint64_t, Merge> m_merges;
    std::array<Symbol, 256> m_byteSymbols{};
    Symbol m_nextSymbol;
};

/// Merges one word: the pair of lowest rank first, the leftmost of equals. O(n log n) in the bytes of the
/// word.
class WordMerger {
  public:
    explicit WordMerger(const MergeTable& table) : m_table(table) {}

    /// Calls `emit(symbol, bytes)` for each symbol that is left.
    template <typename Emit>
    void merge(std::string_view word, Emit emit) {
        m_nodes.clear();
        for (size_t i = 0; i < word.size(); ++i)
            m_nodes.push_back({m_table.byteSymbol(static_cast<uint8_t>(word[i])), i, 1, i - 1, i + 1});
        for (size_t i = 0; i + 1 < m_nodes.size(); ++i) propose(i);
        while (!m_queue.empty()) {
            const Proposal best = m_queue.top();
            m_queue.pop();
            apply(best);
        }
        for (size_t i = 0; i < m_nodes.size(); i = m_nodes[i].next)
            emit(m_nodes[i].symbol, word.substr(m_nodes[i].begin, m_nodes[i].size));
    }

  private:
    /// A symbol in a doubly linked list of positions; the node past the end has index word.size(). size 0:
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

    void propose(size_t left) {
        const Symbol leftSymbol = m_nodes[left].symbol;
        const Symbol rightSymbol = m_nodes[m_nodes[left].next].symbol;
        if (const auto* merge = m_table.find(leftSymbol, rightSymbol))
            m_queue.push({merge->rank, left, leftSymbol, rightSymbol, merge->joined});
    }

    void apply(const Proposal& proposal) {
        Node& left = m_nodes[proposal.left];
        if (left.size == 0 || left.symbol != proposal.leftSymbol || left.next == m_nodes.size()) return;
        Node& right = m_nodes[left.next];
        if (right.symbol != proposal.rightSymbol) return;
        left.symbol = proposal.joined;
        left.size += right.size;
        left.next = right.next;
        right.size = 0;
        if (left.next < m_nodes.size()) {
            m_nodes[left.next].previous = proposal.left;
            propose(proposal.left);
        }
        if (proposal.left > 0) propose(left.previous);
    }

    const MergeTable& m_table;
    std::vector<Node> m_nodes;
    std::priority_queue<Proposal> m_queue;
};

class Gpt2Tokenizer final : public Tokenizer {
  public:
    static Result<std::unique_ptr<Tokenizer>> create(const TokenizerData& data) {
        if (data.tokens.empty())
            return fail(ErrorCode::Corrupt, "the vocabulary of the tokenizer 'gpt2' is empty");
        if (data.merges.empty()) return fail(ErrorCode::Corrupt, "the tokenizer 'gpt2' has no merges");
        INGLE_TRY_ASSIGN(auto preTokenizer, PreTokenizer::create(data.pre.empty() ? "default" : data.pre));
        auto tokenizer = std::unique_ptr<Gpt2Tokenizer>(new Gpt2Tokenizer(data, std::move(preTokenizer)));
        INGLE_TRY(tokenizer->m_table.addMerges(data.merges));
        return tokenizer;
    }

    size_t vocabSize() const override { return m_pieces.size(); }
    std::string pieceBytes(TokenId id) const override { return m_pieces[static_cast<size_t>(id)]; }
    bool dropsLeadingSpace() const override { return false; }
    bool isEndOfGeneration(TokenId id) const override { return m_special.isEndOfGeneration(id); }

    Result<std::vector<TokenId>> encode(std::span<const TextSegment> segments,
                                        bool addSpecial) const override {
        const auto fragments = m_special.split(segments);
        std::vector<TokenId> ids;
        const bool spelled = !fragments.empty() && fragments[0].special == m_bos;
        if (addSpecial && m_addBos && m_bos && !spelled) ids.push_back(*m_bos);
        for (const Fragment& fragment : fragments) {
            if (fragment.special)
                ids.push_back(*fragment.special);
            else
                INGLE_TRY(encodePlain(fragment.text, ids));
        }
        if (addSpecial && m_addEos && m_eos) ids.push_back(*m_eos);
        return ids;
    }

  private:
    Gpt2Tokenizer(const TokenizerData& data, std::unique_ptr<const PreTokenizer> preTokenizer)
        : m_special(data, data.eos),
          m_table(data),
          m_preTokenizer(std::move(preTokenizer)),
          m_bos(data.bos),
          m_eos(data.eos),
          m_addBos(data.addBos.value_or(m_preTokenizer->addsBosByDefault())),
          m_addEos(data.addEos.value_or(false)) {
        m_pieces.reserve(data.tokens.size());
        for (size_t id = 0; id < data.tokens.size(); ++id) {
            const TokenType type = data.types.empty() ? TokenType::Normal : data.types[id];
            const bool isSilent = type == TokenType::Control || type == TokenType::Unknown;
            m_pieces.push_back(isSilent                         ? ""
                               : type == TokenType::UserDefined ? data.tokens[id]
                                                                : toBytes(data.tokens[id]));
        }
    }

    Status encodePlain(const std::string& text, std::vector<TokenId>& ids) const {
        INGLE_TRY_ASSIGN(const auto words, m_preTokenizer->split(text));
        WordMerger merger(m_table);
        for (const std::string_view word : words) {
            if (m_preTokenizer->takesWholeWords()) {
                const Symbol whole = m_table.find(inByteAlphabet(word));
                if (whole < m_pieces.size()) {
                    ids.push_back(static_cast<TokenId>(whole));
                    continue;
                }
            }
            merger.merge(word, [&](Symbol symbol, std::string_view bytes) { emit(symbol, bytes, ids); });
        }
        return {};
    }

    static std::string inByteAlphabet(std::string_view word) {
        std::string text;
        for (const char c : word) text += byteAlphabet()[static_cast<uint8_t>(c)];
        return text;
    }

    /// A symbol outside the vocabulary is given byte by byte, without those that are no tokens either.
    void emit(Symbol symbol, std::string_view bytes, std::vector<TokenId>& ids) const {
        if (symbol < m_pieces.size()) {
            ids.push_back(static_cast<TokenId>(symbol));
            return;
        }
        for (const char c : bytes) {
            const Symbol byte = m_table.byteSymbol(static_cast<uint8_t>(c));
            if (byte < m_pieces.size()) ids.push_back(static_cast<TokenId>(byte));
        }
    }

    SpecialTokens m_special;
    MergeTable m_table;
    std::unique_ptr<const PreTokenizer> m_preTokenizer;
    std::optional<TokenId> m_bos, m_eos;
    bool m_addBos, m_addEos;
    std::vector<std::string> m_pieces;  // what each id decodes to
};

}  // namespace

extern const TokenizerKind gpt2_tokenizer;
const TokenizerKind gpt2_tokenizer{.model = "gpt2", .create = Gpt2Tokenizer::create};

}  // namespace ingle::tokenizer
