/// Pictures in prompts: the marks that stand for them while messages are rendered, and where their rows are
/// among the ids.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/backend/op.h"
#include "engine/session/loading/model.h"

namespace ingle::session {

/// Rows of one tile in the place of tokens. Their ids are below 0 and stand for what the rows hold, so that
/// prompts with the same picture begin alike.
struct PictureRun {
    std::shared_ptr<const KnownPicture> picture;
    size_t first = 0;  ///< of the ids
    uint32_t numRows = 0;
    size_t firstRow = 0;   ///< among the rows of the picture
    uint32_t columns = 0;  ///< of the grid that rows have places on; 0: they are counted on like tokens
    uint32_t lines = 0;

    size_t end() const { return first + numRows; }
    uint32_t numPositions() const { return columns > 0 ? std::max(columns, lines) : numRows; }
};

/// The runs of a prompt, in their order.
class PromptPictures {
  public:
    bool empty() const { return m_runs.empty(); }
    std::span<const PictureRun> runs() const { return m_runs; }
    void add(PictureRun run) { m_runs.push_back(std::move(run)); }

    /// The run that the id of this number belongs to; null: it is a token.
    const PictureRun* at(size_t id) const;
    /// Where a step ends that begins at `done` and may go up to `end`: tokens and rows of pictures do not
    /// mix. A run that is read as a whole is not cut, however long it is.
    size_t endOfStep(size_t done, size_t end, bool readsWhole) const;
    /// Of a model whose positions have coordinates: those of the id of this number.
    backend::Coordinates coordinatesOf(size_t id) const;

  private:
    std::vector<PictureRun> m_runs;
};

struct PromptIds {
    std::vector<TokenId> ids;
    PromptPictures pictures;
};

/// The pictures that messages name.
class ShownPictures {
  public:
    ShownPictures() = default;
    /// Of a model that sees. The pictures of another one are told by their descriptions, but not those behind
    /// the last answer; so are those that cannot be read, but not those of the last question. Errors:
    /// CannotSee; as KnownPictures::find().
    static Result<ShownPictures> of(const OpenedModel& model, std::span<const ChatMessage> messages);
    /// Those that stand in a prompt's text, one for each kPictureMark.
    static ShownPictures given(std::vector<std::shared_ptr<const KnownPicture>> pictures);

    bool empty() const { return m_pictures.empty(); }
    std::span<const std::shared_ptr<const KnownPicture>> all() const { return m_pictures; }
    /// The same messages, in which marks stand for pictures.
    std::vector<ChatMessage> marked(std::span<const ChatMessage> messages) const;
    /// Rows of the pictures of a message.
    size_t numRows(const ChatMessage& message) const;
    /// Null: none of these.
    const KnownPicture* find(const std::string& hash) const;

    /// A rendered prompt. Marks become the rows of pictures and what stands around these. Errors: those of
    /// the tokenizer.
    Result<PromptIds> encode(const OpenedModel& model,
                             std::span<const tokenizer::TextSegment> segments) const;
    /// The same as text.
    std::string textOf(std::span<const tokenizer::TextSegment> segments) const;

  private:
    /// Text, and then a picture, unless it is null.
    struct Piece {
        std::vector<tokenizer::TextSegment> text;
        std::shared_ptr<const KnownPicture> picture;
    };
    std::vector<Piece> pieces(std::span<const tokenizer::TextSegment> segments) const;
    /// Takes the next mark from `text`, and what is before it; nothing: there is none.
    std::optional<size_t> takeMark(std::string_view& text, std::string_view& before, size_t& numMarks) const;

    std::string m_mark;  ///< what marks begin with, and nobody knows; empty: kPictureMark is the mark
    std::vector<std::shared_ptr<const KnownPicture>> m_pictures;
};

}  // namespace ingle::session
