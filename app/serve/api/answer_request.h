/// What is asked for by a request for answers, whichever endpoint it came to.
#pragma once

#include <string>
#include <string_view>

#include "app/serve/api/choice.h"
#include "app/serve/api/fields.h"
#include "app/serve/api/pictures.h"
#include "app/serve/api/tools.h"
#include "ingle/types.h"

namespace ingle::serve::api {

/// What /v1/completions continues: a text, or ids of the model's vocabulary.
struct RawPrompt {
    std::string text;
    std::vector<TokenId> ids;
};

struct AnswerRequest {
    std::string model;  ///< empty: the only one that is served
    GenerateRequest generate;
    std::vector<SentPicture> pictures = {};  ///< of its messages
    std::vector<RawPrompt> prompts;  ///< in place of that in `generate`, each with its answers; empty: none
    unsigned answers = 1;            ///< `n`, to each prompt
    bool isStreamed = false;
    bool withUsage = false;  ///< of a stream: its numbers come last
    Calls calls = Calls::AsWritten;
    bool withChances = false;
    unsigned top = 0;  ///< of each token so many others are told

    unsigned numChoices() const {
        return answers * static_cast<unsigned>(prompts.empty() ? 1 : prompts.size());
    }
};

/// What several APIs call alike: the model, whether it is streamed, the sampler, and hints.
void readCommon(Fields& fields, AnswerRequest& request);
/// A limit of tokens: -1 for none, and with 0 the prompt is only read.
void readLimit(Fields& fields, std::string_view name, AnswerRequest& request);
/// Makes the last message, an assistant's, the beginning of the answer. False: it is no text of one.
bool continueLastMessage(GenerateRequest& request);
/// Takes what is read of tools. Errors, of `fields`: a demanded call beside another form.
void applyTools(Fields& fields, Tools tools, AnswerRequest& request);
/// How much a model is to think, for templates that read it ("none": not at all).
void applyEffort(const std::string& effort, PromptForm& form);

/// Of POST /v1/chat/completions.
Expected<AnswerRequest> readChatRequest(std::string_view body);
/// Of POST /v1/completions.
Expected<AnswerRequest> readCompletionRequest(std::string_view body);

}  // namespace ingle::serve::api
