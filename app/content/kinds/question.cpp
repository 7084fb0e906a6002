/// What a person wrote: shown as it is, never read as Markdown. See question.h.
#include "app/content/block_kind.h"

namespace ingle::content::question_kind {

extern const BlockKind kind = {
    .name = "question",
    .markdown = [](const Block& block) { return block.text.text; },
};

}  // namespace ingle::content::question_kind
