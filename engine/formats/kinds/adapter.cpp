// LoRA adapters: small matrices that change another model. Sources: PEFT's adapter_config.json and names of
// tensors; GGUF's general.type; llama.cpp's older files begin with "ggla" as a little-endian number.
#include "engine/formats/kind.h"

namespace ingle::formats::adapter_kind {
namespace {

constexpr std::string_view kOldMagic = "algg";
constexpr size_t kHeaderLooked = size_t{1} << 20;  // of a safetensors header, which names all tensors

bool namesAdapterTensors(std::string_view header) {
    constexpr std::string_view kNames[] = {"lora_A.", "lora_B.", "lora_down.", "lora_up."};
    return std::ranges::any_of(kNames,
                               [&](std::string_view name) { return header.find(name) != header.npos; });
}

/// A folder with an adapter's settings and no model beside them.
bool isAdapterFolder(const io::Source& source) {
    const auto has = [&](std::string_view name) {
        const auto found = source.findSibling(name);
        return found && *found;
    };
    return source.isFolder() && has("adapter_config.json") && !has("config.json");
}

Error refusal(const std::string& path) {
    return refused<ErrorId::Adapter>(
        path, "a LoRA adapter, which changes a model and is none itself; get the whole model instead");
}

std::optional<Error> refuse(const Sighting& sighting) {
    const std::string name = sighting.source.name();
    const bool isNamed = name == "adapter_config.json" || name.starts_with("adapter_model.");
    const bool isAdapter =
        isAdapterFolder(sighting.source) || (isNamed && !sighting.bytes.empty()) ||
        sighting.text(kOldMagic.size()) == kOldMagic ||
        (sighting.endsIn(".safetensors") && namesAdapterTensors(sighting.text(kHeaderLooked)));
    return isAdapter ? std::optional(refusal(sighting.source.path())) : std::nullopt;
}

std::optional<Error> refuseRead(const ModelFile& file) {
    if (file.metadata.stringOr("general.type", "").value_or("") != "adapter") return std::nullopt;
    return refusal(file.path);
}

constexpr ErrorId kErrors[] = {ErrorId::Adapter};

}  // namespace

extern const Kind kind{
    .name = "adapter", .actions = kGetInstead, .refuse = refuse, .refuseRead = refuseRead, .errors = kErrors};

}  // namespace ingle::formats::adapter_kind
