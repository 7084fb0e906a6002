/// A block as the value of a role: what a delegate hands to its BlockDocument.
#pragma once

#include <QMetaType>

#include <memory>

#include "app/content/block.h"

namespace ingle::desktop {

struct ShownBlock {
    std::shared_ptr<const content::Block> block;
    /// The first piece of a table that was cut: its columns are as wide as that one's. Null: this is it.
    std::shared_ptr<const content::Block> head;

    bool operator==(const ShownBlock&) const = default;
};

}  // namespace ingle::desktop

Q_DECLARE_METATYPE(ingle::desktop::ShownBlock)
