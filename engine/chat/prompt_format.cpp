#include "engine/chat/prompt_format.h"

#include <algorithm>

namespace ingle::chat {

const PromptFormat& choosePromptFormat(const formats::ModelFile& file) {
    const auto scoreOf = [&](const PromptFormat* format) { return format->score(file); };
    return **std::ranges::max_element(allPromptFormats(), {}, scoreOf);
}

}  // namespace ingle::chat
