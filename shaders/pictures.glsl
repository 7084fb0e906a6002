// What rows of a step have beside tokens, as engine/backend/vulkan/memory/picture_buffer.h writes it. The including
// shader has a binding PICTURES_BINDING to spare.
struct PictureEntry {
    uint coordinates[4];  // for rope; where the last one is kNoRow those of a text: its position, and 0 as the last
    uint given;           // the row of a picture that it is; kNoRow: it is a token
};

const uint kNoRow = ~0u;

layout(binding = PICTURES_BINDING) readonly buffer Pictures { PictureEntry pictures[]; };
