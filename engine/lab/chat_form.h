/// How a model or a chat template writes prompts and reads replies, without computing.
#pragma once

#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle::formats {
struct ModelFile;
}

namespace ingle::lab {

/// "2025-07-26T12:34:56", local time. Errors: InvalidArgument.
Result<std::tm> parseTime(const std::string& text);

class ChatForm {
  public:
    /// A template (*.jinja), or a model file. Errors: those of opening and parsing.
    static Result<ChatForm> open(const std::string& path);

    /// Of a template, which has no vocabulary: the texts of its tokens, and the time that it is told.
    struct Circumstances {
        std::string bos, eos;
        std::string now;  ///< empty: this moment
    };
    struct Prompt {
        std::string text;
        std::string note;  ///< why it is not the template's own; empty: it is
    };
    /// Errors: InvalidArgument, for a time that is none.
    Result<Prompt> prompt(const GenerateRequest& request, const Circumstances& circumstances) const;

    struct Reply {
        std::string_view raw;
        std::string_view promptEnd;  ///< what the prompt ended with, which may have begun a thought
        const PromptForm& form;
        size_t cut = 0;  ///< bytes of each piece in which it arrives; 0: all at once
    };
    std::vector<PartPiece> read(const Reply& reply) const;

  private:
    bool m_isTemplate = false;
    std::shared_ptr<const formats::ModelFile> m_file;
};

}  // namespace ingle::lab
