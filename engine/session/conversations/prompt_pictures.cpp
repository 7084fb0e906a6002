#include "engine/session/conversations/prompt_pictures.h"

#include <algorithm>
#include <charconv>
#include <random>

#include "ingle/error_ids.h"

namespace ingle::session {
namespace {

using tokenizer::TextSegment;

/// Of one row of a picture: below 0, and hardly ever the same for two.
TokenId rowId(uint64_t identity, size_t row) {
    uint64_t mixed = identity + 0x9E3779B97F4A7C15u * (row + 1);  // SplitMix64
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    return -1 - static_cast<TokenId>((mixed ^ mixed >> 31) & 0x7FFFFFFF);
}

/// Text that is read alike is one segment.
void append(std::vector<TextSegment>& segments, std::string_view text, bool parseSpecial) {
    if (text.empty()) return;
    if (segments.empty() || segments.back().parseSpecial != parseSpecial)
        segments.push_back({std::string(text), parseSpecial});
    else
        segments.back().text += text;
}

/// Whether a picture cannot be read, whenever it is sent.
bool isUnreadable(const Error& error) {
    constexpr ErrorId kIds[] = {ErrorId::PictureDamaged,  ErrorId::PictureTooManyPixels,
                                ErrorId::PictureTooLarge, ErrorId::PictureTooNarrow,
                                ErrorId::PictureHeic,     ErrorId::PictureAvif,
                                ErrorId::PictureUnknown};
    return std::ranges::find(kIds, errorIdOf(error)) != std::end(kIds);
}

/// A beginning that nobody knows: templates turn JSON into other text than it was, and add tools and names.
std::string secretMark() {
    std::random_device chance;
    return fmt::format("<__picture_{:08x}{:08x}{:08x}_", chance(), chance(), chance());
}

/// Puts ids and runs together.
class IdWriter {
  public:
    IdWriter(const OpenedModel& model, PromptIds& prompt) : m_model(model), m_prompt(prompt) {}

    void addText(std::span<const TextSegment> segments) {
        for (const TextSegment& segment : segments) append(m_text, segment.text, segment.parseSpecial);
    }
    Status addPicture(const std::shared_ptr<const KnownPicture>& picture) {
        const PictureLayout& layout = picture->layout;
        const bool isPlaced = layout.hasGrid && m_model.bound.facts().hasCoordinates;
        size_t firstRow = 0;
        for (const PictureTile& tile : layout.tiles) {
            append(m_text, tile.before, true);
            INGLE_TRY(endText());
            m_prompt.pictures.add({.picture = picture,
                                   .first = m_prompt.ids.size(),
                                   .numRows = tile.numRows,
                                   .firstRow = firstRow,
                                   .columns = isPlaced ? tile.columns : 0,
                                   .lines = tile.lines});
            for (uint32_t row = 0; row < tile.numRows; ++row)
                m_prompt.ids.push_back(rowId(picture->identity, firstRow + row));
            firstRow += tile.numRows;
        }
        append(m_text, layout.after, true);
        return {};
    }
    Status endText() {
        if (m_text.empty() && m_isBegun) return {};
        INGLE_TRY_ASSIGN(const std::vector<TokenId> ids,
                         m_model.tokenizer->encode(m_text, /*addSpecial=*/!m_isBegun));
        m_isBegun = true;
        m_text.clear();
        m_prompt.ids.insert(m_prompt.ids.end(), ids.begin(), ids.end());
        return {};
    }

  private:
    const OpenedModel& m_model;
    PromptIds& m_prompt;
    std::vector<TextSegment> m_text;
    bool m_isBegun = false;
};

}  // namespace

const PictureRun* PromptPictures::at(size_t id) const {
    const auto run = std::ranges::upper_bound(m_runs, id, {}, &PictureRun::end);
    return run != m_runs.end() && run->first <= id ? &*run : nullptr;
}

size_t PromptPictures::endOfStep(size_t done, size_t end, bool readsWhole) const {
    const auto next = std::ranges::upper_bound(m_runs, done, {}, &PictureRun::end);
    if (next == m_runs.end()) return end;
    if (next->first > done) return std::min(end, next->first);
    return readsWhole ? next->end() : std::min(end, next->end());
}

backend::Coordinates PromptPictures::coordinatesOf(size_t id) const {
    auto position = static_cast<uint32_t>(id);
    for (const PictureRun& run : m_runs) {
        if (run.first > id) break;
        if (run.end() > id) {
            if (run.columns == 0) break;
            const auto row = static_cast<uint32_t>(id - run.first);
            const uint32_t begin = position - row;
            return {begin, begin + row / run.columns, begin + row % run.columns, 0};
        }
        position -= run.numRows - run.numPositions();
    }
    // Of text. Hardly a pair turns by the last coordinate, which is 0 in other engines, too.
    return {position, position, position, 0};
}

namespace {

/// What lies beside a model that does not see.
std::string insteadOf(const ModelInfo& info) {
    if (!info.visionFiles.empty())
        return fmt::format("; {} may be one, and is used where it is named", info.visionFiles.front());
    return info.visionTrouble.empty() ? std::string() : fmt::format(" ({})", info.visionTrouble);
}

}  // namespace

Result<ShownPictures> ShownPictures::of(const OpenedModel& model, std::span<const ChatMessage> messages) {
    const auto lastAnswer =
        std::ranges::find(messages.rbegin(), messages.rend(), Role::Assistant, &ChatMessage::role);
    const auto asked = static_cast<size_t>(messages.rend() - lastAnswer);  // the first one behind it
    const auto question =
        std::ranges::find(messages.rbegin(), messages.rend(), Role::User, &ChatMessage::role);
    // An answer that failed is not there: the messages before it are no question any more.
    const auto last = static_cast<size_t>(messages.rend() - question);  // behind it
    ShownPictures shown;
    for (size_t i = 0; i < messages.size(); ++i) {
        for (const Part& part : messages[i].parts) {
            if (part.kind != PartKind::Image || shown.find(part.data)) continue;
            if (!model.pictures && i >= asked)
                return withId<ErrorId::CannotSee>(
                    fail(ErrorCode::Unsupported,
                         "{}: the model has no vision file, so it cannot see pictures{}", model.file.path,
                         insteadOf(model.info)),
                    model.file.path);
            if (!model.pictures) continue;
            auto known = model.pictures->find(part.data);
            if (!known && i + 1 < last && isUnreadable(known.error())) continue;
            if (!known) return tl::unexpected(std::move(known).error());
            shown.m_pictures.push_back(*std::move(known));
        }
    }
    if (!shown.empty()) shown.m_mark = secretMark();
    return shown;
}

ShownPictures ShownPictures::given(std::vector<std::shared_ptr<const KnownPicture>> pictures) {
    ShownPictures shown;
    shown.m_pictures = std::move(pictures);
    return shown;
}

const KnownPicture* ShownPictures::find(const std::string& hash) const {
    const auto found = std::ranges::find(m_pictures, hash, [](const auto& picture) { return picture->hash; });
    return found == m_pictures.end() ? nullptr : found->get();
}

std::vector<ChatMessage> ShownPictures::marked(std::span<const ChatMessage> messages) const {
    std::vector<ChatMessage> marked(messages.begin(), messages.end());
    for (ChatMessage& message : marked) {
        for (Part& part : message.parts) {
            if (part.kind != PartKind::Image) continue;
            if (!find(part.data)) {
                part.kind = PartKind::Text;  // its description
                continue;
            }
            const auto index =
                std::ranges::find(m_pictures, part.data, [](const auto& picture) { return picture->hash; }) -
                m_pictures.begin();
            part.text = fmt::format("{}{}>", m_mark, index);
        }
    }
    return marked;
}

size_t ShownPictures::numRows(const ChatMessage& message) const {
    size_t rows = 0;
    for (const Part& part : message.parts) {
        const KnownPicture* known = part.kind == PartKind::Image ? find(part.data) : nullptr;
        rows += known ? known->layout.numRows() : 0;
    }
    return rows;
}

std::optional<size_t> ShownPictures::takeMark(std::string_view& text, std::string_view& before,
                                              size_t& numMarks) const {
    const std::string_view mark = m_mark.empty() ? kPictureMark : std::string_view(m_mark);
    const size_t begin = text.find(mark);
    before = text.substr(0, begin);
    if (begin == text.npos) return std::nullopt;
    text.remove_prefix(begin + mark.size());
    if (m_mark.empty()) return numMarks++;
    size_t index = m_pictures.size();
    const auto read = std::from_chars(text.data(), text.data() + text.size(), index);
    text.remove_prefix(static_cast<size_t>(read.ptr - text.data()));
    if (text.starts_with('>')) text.remove_prefix(1);
    return index;
}

std::vector<ShownPictures::Piece> ShownPictures::pieces(std::span<const TextSegment> segments) const {
    std::vector<Piece> pieces(1);
    size_t numMarks = 0;
    for (const TextSegment& segment : segments) {
        std::string_view text = segment.text, before = text;
        while (!empty()) {
            const auto index = takeMark(text, before, numMarks);
            append(pieces.back().text, before, segment.parseSpecial);
            if (!index) break;
            if (*index >= m_pictures.size()) continue;  // a template cut it
            pieces.back().picture = m_pictures[*index];
            pieces.emplace_back();
        }
        if (empty()) pieces.back().text.push_back(segment);
    }
    return pieces;
}

Result<PromptIds> ShownPictures::encode(const OpenedModel& model,
                                        std::span<const TextSegment> segments) const {
    PromptIds prompt;
    if (empty()) {
        INGLE_TRY_ASSIGN(prompt.ids, model.tokenizer->encode(segments, /*addSpecial=*/true));
        return prompt;
    }
    IdWriter writer(model, prompt);
    for (const Piece& piece : pieces(segments)) {
        writer.addText(piece.text);
        if (piece.picture) INGLE_TRY(writer.addPicture(piece.picture));
    }
    INGLE_TRY(writer.endText());
    return prompt;
}

std::string ShownPictures::textOf(std::span<const TextSegment> segments) const {
    std::string text;
    for (const Piece& piece : pieces(segments)) {
        for (const TextSegment& segment : piece.text) text += segment.text;
        if (!piece.picture) continue;
        for (const PictureTile& tile : piece.picture->layout.tiles)
            text += fmt::format("{}[{} rows of a picture]", tile.before, tile.numRows);
        text += piece.picture->layout.after;
    }
    return text;
}

}  // namespace ingle::session
