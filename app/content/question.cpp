#include "app/content/question.h"

#include <algorithm>

#include "app/content/block_kind.h"
#include "app/content/block_stream.h"
#include "app/content/line.h"

namespace ingle::content {

namespace question_kind {
extern const BlockKind kind;
}

namespace {

void addPieces(const Part& part, size_t number, std::vector<Block>& blocks) {
    const std::string text = validText(part.text);
    std::string_view rest = text;
    size_t at = 0;
    Seam seam = Seam::None;
    do {
        Block block;
        block.kind = &question_kind::kind;
        block.part = number;
        block.seam = seam;
        size_t size = rest.size();
        size_t next = size;
        if (size > kMaxBlockBytes) {
            size = rest.rfind('\n', kMaxBlockBytes);
            seam = Seam::Line;
            if (size == std::string_view::npos) {
                size = rest.rfind(' ', kMaxBlockBytes);
                seam = Seam::Space;
            }
            next = size + 1;
            if (size == std::string_view::npos || size == 0) {
                size = next = wholeCharacters(rest.substr(0, kMaxBlockBytes));
                seam = Seam::Glued;
            }
        }
        block.text.text = rest.substr(0, size);
        block.sourceBegin = at;
        block.sourceEnd = at + next;
        blocks.push_back(std::move(block));
        rest.remove_prefix(next);
        at += next;
    } while (!rest.empty());
}

/// Pictures that follow each other stand side by side.
void addPicture(const Part& part, size_t number, std::vector<Block>& blocks) {
    std::string description = validText(part.text);
    std::ranges::replace(description, '\n', ' ');
    const BlockKind* kind = kindOfPart(PartKind::Image);
    if (blocks.empty() || blocks.back().kind != kind) {
        Block block;
        block.kind = kind;
        block.part = number;
        block.text.text = std::move(description);
        block.label = part.data;
        blocks.push_back(std::move(block));
    } else {
        blocks.back().text.text += '\n' + description;
        blocks.back().label += ' ' + part.data;
    }
}

}  // namespace

std::vector<Block> questionBlocks(std::span<const Part> parts) {
    std::vector<Block> blocks;
    for (size_t number = 0; number < parts.size(); ++number) {
        const Part& part = parts[number];
        if (part.kind == PartKind::Text) {
            addPieces(part, number, blocks);
        } else if (part.kind == PartKind::Image) {
            addPicture(part, number, blocks);
        } else {
            std::vector<Block> others = blocksOf(std::span(&part, 1));
            for (Block& block : others) block.part = number;
            std::ranges::move(others, std::back_inserter(blocks));
        }
    }
    if (blocks.empty()) addPieces({}, 0, blocks);
    return blocks;
}

}  // namespace ingle::content
