/// A model's form of prompts as the four texts that simple engines put together.
#pragma once

#include <optional>
#include <string>

#include "engine/formats/model_file.h"

namespace ingle::importer {

/// The first round is  begin + user + QUESTION + assistant + ANSWER + end,  and later ones go on with user.
struct PromptParts {
    std::string begin, user, assistant, end;
};

/// Nothing where the model has no template, or one of another form.
std::optional<PromptParts> promptParts(const formats::ModelFile& model);

}  // namespace ingle::importer
