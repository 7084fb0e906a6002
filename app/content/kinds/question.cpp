/// What a person wrote: shown as it is, never read as Markdown. See question.h.
#include "app/content/block_kind.h"

namespace ingle::content {

extern const BlockKind question_kind;
const BlockKind question_kind = {
    .name = "question",
    .markdown = [](const Block& block) { return block.text.text; },
};

}  // namespace ingle::content
