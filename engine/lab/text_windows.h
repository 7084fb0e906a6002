/// A text that a model reads in windows of equal length, each from an empty state.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/session/loading/model.h"
#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle::lab {

class TextWindows {
  public:
    /// The second half of a window has a token that is predicted, and the one behind it.
    static constexpr uint32_t kLeastWindow = 3;

    /// The logits of a position, and the token that follows it in the text.
    using Predicted = std::function<Status(std::span<const float> logits, TokenId next)>;

    /// Loads the model. The text's tokens are cut into windows of `windowTokens` (0: 512, at most the
    /// context) that do not overlap, each beginning with BOS if the vocabulary asks for it; the last tokens
    /// that fill no window are left out. Errors: those of loading; InvalidArgument when the text is shorter
    /// than a window, or a window than kLeastWindow; Unsupported without a tokenizer.
    static Result<TextWindows> open(const std::string& path, const LoadOptions& load, std::string_view text,
                                    uint32_t windowTokens);

    size_t count() const { return m_ids.size() / m_window; }
    uint32_t tokensOfWindow() const { return m_window; }
    std::span<const TokenId> tokens(size_t window) const {
        return std::span(m_ids).subspan(window * m_window, m_window);
    }

    /// Reads one window; calls `predicted` for its positions from `first` on, but the last one. Errors: those
    /// of a step, and of `predicted`.
    Status read(size_t window, uint32_t first, const Predicted& predicted);

    /// Shows the ops that compute the windows; null stops it.
    void observe(backend::OpObserver* observer) { m_program->observe(observer); }

  private:
    TextWindows() = default;

    std::unique_ptr<session::Model> m_model;
    std::unique_ptr<backend::Program> m_program;
    std::unique_ptr<backend::SequenceMemory> m_sequence;
    std::vector<TokenId> m_ids;  ///< of whole windows
    uint32_t m_window = 0;
};

}  // namespace ingle::lab
