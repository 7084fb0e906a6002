#include "app/content/block_stream.h"

#include <algorithm>
#include <iterator>

namespace ingle::content {

using Place = LinePiece::Place;

BlockChange BlockStream::begin(PartKind kind, std::string data) {
    endPart();
    m_parts.push_back({kind, {}, data});
    m_scanner.emplace(m_numParts++, kind, std::move(data), m_definitions);
    return update();
}

BlockChange BlockStream::append(std::string_view text) {
    if (!m_scanner) begin(PartKind::Text);
    m_parts.back().text.append(text);
    m_pending.append(text);
    readPieces();
    return update();
}

BlockChange BlockStream::finish() {
    endPart();
    const BlockChange last = update();
    if (m_definitions.isEmpty()) return last;
    const std::vector<Block> before = m_blocks;
    readAgain();
    const auto same = static_cast<size_t>(std::ranges::mismatch(before, m_blocks).in1 - before.begin());
    const size_t first = std::min(same, last.first);
    return {first, before.size() - last.added + last.removed - first, m_blocks.size() - first};
}

/// Reads the whole message with all definitions that it has.
void BlockStream::readAgain() {
    BlockStream whole;
    whole.m_definitions = m_definitions;
    for (const Part& part : m_parts) {
        whole.begin(part.kind, part.data);
        whole.append(part.text);
    }
    whole.endPart();
    whole.update();
    m_blocks = std::move(whole.m_blocks);
    m_frozen = m_blocks.size();
}

void BlockStream::readPieces() {
    size_t at = 0;
    const auto take = [&](size_t size, size_t lineEnd) {
        const Place place = lineEnd > 0 ? (m_midLine ? Place::Last : Place::Whole)
                                        : (m_midLine ? Place::Middle : Place::First);
        m_scanner->take(
            {std::string_view(m_pending).substr(at, size), m_read + at, m_read + at + size + lineEnd, place});
        m_midLine = lineEnd == 0;
        at += size + lineEnd;
    };
    while (at < m_pending.size()) {
        const std::string_view rest = std::string_view(m_pending).substr(at);
        const size_t size = rest.substr(0, kMaxPieceBytes + 1).find_first_of("\r\n");
        if (size == std::string_view::npos) {
            if (rest.size() <= kMaxPieceBytes) break;
            // Not in the middle of a character, if these are any.
            const size_t whole = wholeCharacters(rest.substr(0, kMaxPieceBytes));
            take(whole, 0);
        } else {
            const bool half = rest[size] == '\r';
            if (half && size + 1 == rest.size()) break;  // a line feed may follow
            take(size, half && rest[size + 1] == '\n' ? 2 : 1);
        }
    }
    m_pending.erase(0, at);
    m_read += at;
}

void BlockStream::endPart() {
    if (!m_scanner) return;
    if (!m_pending.empty()) {
        const size_t end = m_read + m_pending.size();
        if (m_pending.ends_with('\r')) m_pending.pop_back();
        m_scanner->take({m_pending, m_read, end, m_midLine ? Place::Last : Place::Whole});
    }
    m_scanner->finish(Stage::Finished);
    m_ended = m_scanner->takeBlocks();
    m_scanner.reset();
    m_pending.clear();
    m_read = 0;
    m_midLine = false;
}

/// The blocks that are open now, as they look now.
std::vector<Block> BlockStream::openBlocks() const {
    if (!m_scanner) return {};
    BlockScanner ahead = m_scanner->ahead();
    std::string_view rest = m_pending;
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    rest = rest.substr(0, wholeCharacters(rest));
    if (!rest.empty() && (m_midLine || !ahead.undecided(rest)))
        ahead.take({rest, m_read, m_read + rest.size(), m_midLine ? Place::Last : Place::Whole});
    ahead.finish(Stage::Growing);
    return ahead.takeBlocks();
}

BlockChange BlockStream::update() {
    std::vector<Block> ended = std::exchange(m_ended, {});
    if (m_scanner) std::ranges::move(m_scanner->takeBlocks(), std::back_inserter(ended));
    std::vector<Block> open = openBlocks();

    const size_t first = m_frozen;
    const std::vector<Block> before(std::make_move_iterator(m_blocks.begin() + static_cast<ptrdiff_t>(first)),
                                    std::make_move_iterator(m_blocks.end()));
    m_blocks.resize(first);
    std::ranges::move(ended, std::back_inserter(m_blocks));
    m_frozen = m_blocks.size();
    std::ranges::move(open, std::back_inserter(m_blocks));

    const auto same =
        static_cast<size_t>(std::mismatch(before.begin(), before.end(),
                                          m_blocks.begin() + static_cast<ptrdiff_t>(first), m_blocks.end())
                                .first -
                            before.begin());
    return {first + same, before.size() - same, m_blocks.size() - first - same};
}

std::vector<Block> blocksOf(std::span<const Part> parts) {
    BlockStream stream;
    for (const Part& part : parts) {
        stream.begin(part.kind, part.data);
        stream.append(part.text);
    }
    stream.finish();
    return stream.blocks();
}

}  // namespace ingle::content
