// Models as Hugging Face keeps them: tensors in one file or in parts with an index, config.json that says
// what they are, and a tokenizer in files of its own. Sources: huggingface/safetensors, README.md;
// transformers, src/transformers/utils/hub.py (names of files) and modeling_utils.py (which of them are
// read).
#include <algorithm>
#include <filesystem>
#include <iterator>

#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/packed_scheme.h"
#include "engine/formats/checkpoint/pooling_files.h"
#include "engine/formats/checkpoint/rwkv_weights.h"
#include "engine/formats/checkpoint/tokenizer_files.h"
#include "engine/formats/checkpoint/vision_part.h"
#include "engine/formats/file_reader.h"
#include "engine/formats/other_purposes.h"
#include "engine/formats/rwkv_vocabulary.h"
#include "ingle/error_ids.h"

namespace ingle::formats::huggingface_reader {
namespace {

Match probe(std::span<const std::byte> file) {
    return isOfCheckpoint(file) ? Match::Magic : Match::No;
}

/// The path of another file of the folder.
std::string beside(const io::Source& source, std::string_view name) {
    return (std::filesystem::path(source.path()).parent_path() / name).string();
}

Result<Config> readConfig(Checkpoint& checkpoint, const io::Source& source) {
    INGLE_TRY_ASSIGN(const auto text, findText(checkpoint, source, "config.json"));
    if (!text)
        return withId<ErrorId::WeightsAlone>(
            fail(ErrorCode::Unsupported,
                 "{}: holds weights, but no config.json beside it says of which model", source.path()),
            source.path());
    auto config = parseConfig(*text);
    if (!config) return happenedTo(beside(source, "config.json"), config.error());
    return config;
}

/// In small letters, without what words are joined by.
std::string joined(std::string_view name) {
    std::string out;
    for (const char c : name)
        if (c != '_' && c != '-') out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

/// The architecture of a "model_type", as that of "qwen3_moe" is Qwen3MoeForCausalLM: what writes before what
/// does not. Null: none is named so.
const Architecture* architectureOfType(const Config& config) {
    const std::string type = joined(config.stringOr("model_type", "").value_or(""));
    if (type.empty()) return nullptr;
    for (const std::string_view end : {"forcausallm", "forconditionalgeneration", "model"})
        for (const ArchitectureGroup* group : allArchitectures())
            for (const Architecture& architecture : group->architectures)
                if (joined(architecture.name) == fmt::format("{}{}", type, end))
                    return findArchitecture(architecture.name, config);
    return nullptr;
}

Result<const Architecture*> architectureOf(const Config& config, const io::Source& source) {
    const MetaValue* value = config.find("architectures");
    const auto* names = value ? std::get_if<std::vector<std::string>>(value) : nullptr;
    if (!value) {
        if (const Architecture* architecture = architectureOfType(config)) return architecture;
    }
    if (!names || names->empty()) return fail(ErrorCode::Corrupt, "config.json names no architecture");
    if (const Architecture* architecture = findArchitecture(names->front(), config)) return architecture;
    if (auto other = otherPurposeOf(source.path(), names->front())) return tl::unexpected(*std::move(other));
    return withId<ErrorId::UnknownFamily>(
        fail(ErrorCode::Unsupported, "the model family \"{}\" is not supported", shown(names->front())),
        shown(names->front()));
}

/// The folder's name, or what the configuration calls the model. In the download cache folders are called by
/// revisions, and the model's stands above: models--owner--name/snapshots/revision.
std::string nameOf(const io::Source& source, const Config& config) {
    const std::filesystem::path path(source.path());
    const std::string folder = path.parent_path().filename().string();
    const std::filesystem::path snapshots = path.parent_path().parent_path();
    const std::string cached = snapshots.parent_path().filename().string();
    if (snapshots.filename() == "snapshots" && cached.starts_with("models--"))
        return cached.substr(cached.rfind("--") + 2);
    if (!folder.empty() && folder != "." && folder != "..") return folder;
    const std::string stated = config.stringOr("_name_or_path", "").value_or("");
    return std::filesystem::path(stated).filename().string();
}

Result<ModelFile> translate(Checkpoint& checkpoint, const io::Source& source) {
    if (isRwkv(checkpoint)) {
        INGLE_TRY_ASSIGN(ModelFile model, translateRwkv(checkpoint));
        model.format = checkpoint.container;
        INGLE_TRY(addRwkvVocabulary(model, source));
        return model;
    }
    INGLE_TRY_ASSIGN(Config config, readConfig(checkpoint, source));
    INGLE_TRY(unpackWeights(checkpoint, source, config));
    INGLE_TRY(addModules(checkpoint, source, config));
    INGLE_TRY_ASSIGN(const Architecture* architecture, architectureOf(config, source));
    ModelFile model;
    model.format = checkpoint.container;
    model.rotaryPairs = architecture->rotaryPairs;
    model.joinsHeadsInGguf = architecture->joinsHeadsInGguf;
    model.hasSight = architecture->vision != nullptr;
    model.mappings = checkpoint.mappings;
    INGLE_TRY_ASSIGN(model.tokenizer, readTokenizerFiles(checkpoint, source, architecture->words));
    INGLE_TRY(readSampling(checkpoint, source, model.metadata));
    model.metadata.set("general.architecture", std::string(architecture->family));
    if (const std::string name = nameOf(source, config); !name.empty())
        model.metadata.set("general.name", name);

    Translation translation(config, architecture->family, std::move(model));
    if (const Status keys = architecture->setKeys(translation); !keys)
        return happenedTo(beside(source, "config.json"), keys.error());
    if (const Status modules = setModules(translation); !modules)
        return happenedTo(source.path(), modules.error());
    if (const Status understood = expectUnderstood(translation.config); !understood)
        return happenedTo(beside(source, "config.json"), understood.error());
    INGLE_TRY(translation.run(checkpoint, *architecture));
    INGLE_TRY(addRwkvVocabulary(translation.model, source));
    fitVocabulary(translation.model.tokenizer, translation.numTokens());
    return std::move(translation.model);
}

Result<ModelFile> openAs(const io::Source& source, std::shared_ptr<const io::MappedFile> mapping,
                         Result<ModelFile> (*translated)(Checkpoint&, const io::Source&)) {
    INGLE_TRY_ASSIGN(Checkpoint checkpoint, openCheckpoint(source, std::move(mapping)));
    INGLE_TRY(relocate(checkpoint));
    auto model = translated(checkpoint, source);
    // What is wrong with another file of the folder begins with its path.
    const auto folder = std::filesystem::path(source.path()).parent_path().string();
    if (!model && (folder.empty() || !model.error().message.starts_with(folder)))
        return happenedTo(source.path(), std::move(model).error());
    if (!model) return model;
    model->path = source.path();
    model->sources = std::move(checkpoint.sources);
    model->mappings = std::move(checkpoint.mappings);
    std::ranges::move(checkpoint.buffers, std::back_inserter(model->buffers));
    return model;
}

Result<ModelFile> open(const io::Source& source, std::shared_ptr<const io::MappedFile> mapping) {
    return openAs(source, std::move(mapping), translate);
}
Result<ModelFile> openSight(const io::Source& source, std::shared_ptr<const io::MappedFile> mapping) {
    return openAs(source, std::move(mapping), translateVision);
}

}  // namespace

extern const FileReader reader{.name = "Hugging Face",
                               .probe = probe,
                               .read = nullptr,
                               .open = open,
                               .openSight = openSight,
                               .leads = kLeads};

}  // namespace ingle::formats::huggingface_reader
