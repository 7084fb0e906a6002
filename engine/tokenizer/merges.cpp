#include "engine/tokenizer/merges.h"
#include "engine/tokenizer/utf8.h"

namespace ingle::tokenizer {

using formats::TokenType;

MergeTable::MergeTable(const formats::TokenizerData& data)
    : m_nextSymbol(static_cast<Symbol>(data.tokens.size())) {
    m_symbols.reserve(data.tokens.size() + data.merges.size() / 8);
    for (size_t id = 0; id < data.tokens.size(); ++id) {
        const TokenType type = data.types.empty() ? TokenType::Normal : data.types[id];
        if (type != TokenType::Control && type != TokenType::Unknown)
            m_symbols[data.tokens[id]] = static_cast<Symbol>(id);
    }
}

Status MergeTable::addMerges(const std::vector<std::string>& merges) {
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

Symbol MergeTable::intern(std::string text) {
    const auto [it, isNew] = m_symbols.try_emplace(std::move(text), m_nextSymbol);
    if (isNew) ++m_nextSymbol;
    return it->second;
}

const MergeTable::Merge* MergeTable::find(Symbol left, Symbol right) const {
    const auto it = m_merges.find(key(left, right));
    return it == m_merges.end() ? nullptr : &it->second;
}

Symbol MergeTable::find(const std::string& text) const {
    const auto it = m_symbols.find(text);
    return it == m_symbols.end() ? kNoSymbol : it->second;
}

void WordMerger::add(Symbol symbol, size_t bytes) {
    const size_t i = m_nodes.size();
    const size_t begin = i == 0 ? 0 : m_nodes.back().begin + m_nodes.back().size;
    m_nodes.push_back({symbol, begin, bytes, i - 1, i + 1});
}

void WordMerger::beginCharacters(std::string_view word) {
    begin();
    while (!word.empty()) {
        const Utf8Part part = firstUtf8Part(word);
        const bool isCharacter = part.kind == Utf8Kind::Character;
        add(isCharacter ? m_table.find(std::string(word.substr(0, part.bytes))) : kNoSymbol, part.bytes);
        word.remove_prefix(part.bytes);
    }
}

void WordMerger::mergeAll() {
    for (size_t i = 0; i + 1 < m_nodes.size(); ++i) propose(i);
    while (!m_queue.empty()) {
        const Proposal best = m_queue.top();
        m_queue.pop();
        apply(best);
    }
}

void WordMerger::propose(size_t left) {
    const Symbol leftSymbol = m_nodes[left].symbol;
    const Symbol rightSymbol = m_nodes[m_nodes[left].next].symbol;
    if (const auto* merge = m_table.find(leftSymbol, rightSymbol))
        m_queue.push({merge->rank, left, leftSymbol, rightSymbol, merge->joined});
}

void WordMerger::apply(const Proposal& proposal) {
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

}  // namespace ingle::tokenizer
