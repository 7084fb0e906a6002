/// Cutting text into words before byte-level BPE, by the patterns that tokenizer.ggml.pre names.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/meter.h"
#include "ingle/result.h"

namespace ingle::tokenizer {

/// Immutable after creation: any thread.
class PreTokenizer {
  public:
    /// Errors: Unsupported, naming an unknown pre-tokenizer.
    static Result<std::unique_ptr<const PreTokenizer>> create(std::string_view name);
    /// By patterns of a file's own, at most kMaxPatterns. Errors: Unsupported, when one is none.
    static Result<std::unique_ptr<const PreTokenizer>> create(std::span<const std::string> patterns,
                                                              bool takesWholeWords);
    static constexpr size_t kMaxPatterns = 16;
    /// Those that create() knows.
    static std::vector<std::string_view> names();
    ~PreTokenizer();

    /// The words of `text`, in order; together they are the text. Bytes that are no UTF-8 belong to no match
    /// of a pattern. A file's own patterns pay for each of their steps. Errors: as base::Meter;
    /// InvalidArgument when a pattern gives up on the text.
    Result<std::vector<std::string_view>> split(std::string_view text, base::Meter& meter) const;

    /// True for vocabularies in which a word that is a token is taken as it is, without merging.
    bool takesWholeWords() const { return m_takesWholeWords; }
    /// What the vocabulary does when the file does not say whether BOS is added.
    bool addsBosByDefault() const { return m_addsBosByDefault; }

  private:
    struct Pattern;
    class Matching;
    PreTokenizer();

    std::vector<Pattern> m_patterns;
    bool m_takesWholeWords = false;
    bool m_addsBosByDefault = false;
};

}  // namespace ingle::tokenizer
