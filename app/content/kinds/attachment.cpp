/// A file that belongs to the message: the label is its name, the text what was read from it.
#include "app/content/verbatim.h"

namespace ingle::content::attachment_kind {

extern const BlockKind kind = {
    .name = "attachment",
    .hold = Hold::Firm,
    .part = PartKind::Attachment,
    .takes = takeVerbatim,
    .build = buildVerbatim,
    .markdown = [](const Block& block) { return quotedMarkdown(block, block.label); },
};

}  // namespace ingle::content::attachment_kind
