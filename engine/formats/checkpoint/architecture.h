/// Models as Hugging Face names them. One file per group: engine/formats/architectures/<name>.cpp defines
/// `extern const ArchitectureGroup architectures` in the namespace `<name>_architectures`.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/formats/checkpoint/checkpoint.h"
#include "engine/formats/checkpoint/tokenizer_files.h"
#include "engine/formats/checkpoint/translation.h"

namespace ingle::formats {

/// What a tensor is in GGUF's terms. "#" stands for a number between dots: of the layer, then of the expert.
struct TensorRule {
    std::string_view from;
    std::string_view to;      ///< "#": the layer; empty: it is not needed
    Change change = nullptr;  ///< null: it is taken as it lies
};

/// The part of such models that sees, in the terms of vision files.
struct VisionPart {
    std::string_view projector;  ///< clip.projector_type
    /// Sets the keys, which begin with "clip.". Errors: Corrupt, Unsupported.
    Status (*setKeys)(Translation& translation);
    /// Names of tensors without "model." in front and the level "vision_model"; a tower of that name is
    /// called "vision_tower".
    std::span<const TensorRule> tensors;
    /// What pixels are normalised with where preprocessor_config.json does not say it.
    std::array<double, 3> mean{0.5, 0.5, 0.5}, deviation{0.5, 0.5, 0.5};
    bool normalises = true;  ///< where preprocessor_config.json does not say it
    uint32_t resample = 3;   ///< the filter that its family has, as Pillow numbers them: bicubic
    std::span<const TensorRule> tower = {};  ///< looked up behind `tensors`
    /// How names of its tensors begin; empty: as all that its architecture ignores.
    std::span<const std::string_view> parts = {};
    /// Null, or sets how pictures are brought to the tower's sizes, as preprocessor_config.json says it.
    /// Errors: Corrupt, Unsupported.
    Status (*setPixels)(Translation& translation, const Config& pixels) = nullptr;
    /// Null, or what is left to do when all tensors have their names. Errors: Corrupt, Unsupported.
    Status (*finish)(Translation& translation, Checkpoint& checkpoint, const io::Source& source) = nullptr;
};

struct Architecture {
    std::string_view name;    ///< in config.json's "architectures"
    std::string_view family;  ///< general.architecture
    /// Sets the family's keys. Errors: Corrupt, Unsupported (a variant that the family cannot compute).
    Status (*setKeys)(Translation& translation);
    /// Looked up before those that most have in common.
    std::span<const TensorRule> tensors = {};
    /// Tensors whose names begin so are of other parts, such as those for images.
    std::span<const std::string_view> ignored = {};
    /// Where config.json does not say whether the output is the embedding.
    bool sharesEmbedding = false;
    RotaryPairs rotaryPairs = RotaryPairs::AsInGguf;
    /// attn_qkv has for each head its query, its key and its value; else all queries come first.
    bool fusesByHead = false;
    /// GGUF files of the family have attn_qkv in place of attn_q, attn_k and attn_v.
    bool joinsHeadsInGguf = false;
    /// Null, or what is left to do when all tensors have their names.
    Status (*finish)(Translation& translation) = nullptr;
    /// Null, or whether a configuration is of this one: another that has the same name is the usual one.
    bool (*suits)(const Config& config) = nullptr;
    /// What all models of this name have in common; vocabularies that are lists of bytes need it.
    WordRules words = {};
    const VisionPart* vision = nullptr;  ///< null: it has none, or none that is known here
};

struct ArchitectureGroup {
    std::span<const Architecture> architectures;
};

std::span<const ArchitectureGroup* const> allArchitectures();

/// Null when this version does not know it.
const Architecture* findArchitecture(std::string_view name, const Config& config);
/// The name in such files of a tensor with this name in GGUF's terms; nothing where no rule takes one as it
/// lies.
std::optional<std::string> sourceName(const Architecture& architecture, std::string_view name);

}  // namespace ingle::formats
