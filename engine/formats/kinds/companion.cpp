// What goes with a model and is none itself. Sources: llama.cpp's cvector-generator.cpp (general.architecture
// "controlvector"), imatrix.cpp (general.type "imatrix"; older files are named so), its vocabularies for
// tests
// ("ggml-vocab-…", files without tensors) and llama-arch.cpp (heads that predict for another model).
#include "engine/formats/kind.h"

namespace ingle::formats::companion_kind {
namespace {

struct Companion {
    std::string_view what;  ///< stable: the window has a sentence for each
    std::string_view sentence;
};
constexpr Companion kControlVector{
    "controlVector", "a control vector, which steers a model and is none itself; open the model's own file"};
constexpr Companion kImportance{"imatrix",
                                "an importance matrix, which helps to make a model smaller and is none "
                                "itself; open the model's own file, and "
                                "give this one to `ingle import --imatrix`"};
constexpr Companion kVocabulary{"vocabulary",
                                "a vocabulary without the numbers of its model; open the model's own file"};
constexpr Companion kDraftHead{
    "draftHead",
    "a head that predicts words for another model and writes none by itself; open that model's own file, and "
    "if it is an EAGLE-3 head, give it to that one with `--draft`"};

constexpr std::string_view kDraftHeads[] = {"eagle",  "eagle2",           "eagle3",
                                            "dflash", "gemma4-assistant", "medusa"};

Error refusal(const std::string& path, const Companion& companion) {
    return refused<ErrorId::Companion>(path, companion.sentence, companion.what);
}

std::optional<Error> refuse(const Sighting& sighting) {
    if (sighting.source.isFolder() || sighting.text(4) == "GGUF") return std::nullopt;
    const bool isNamed = sighting.source.name().find("imatrix") != std::string::npos;
    const bool isImportance = sighting.endsIn(".imatrix") || (isNamed && sighting.endsIn(".dat"));
    return isImportance ? std::optional(refusal(sighting.source.path(), kImportance)) : std::nullopt;
}

const Companion* companionOf(const ModelFile& file) {
    const auto text = [&](std::string_view key) { return file.metadata.stringOr(key, "").value_or(""); };
    const std::string arch = text("general.architecture");
    if (arch == "controlvector") return &kControlVector;
    if (text("general.type") == "imatrix") return &kImportance;
    if (std::ranges::find(kDraftHeads, arch) != std::end(kDraftHeads)) return &kDraftHead;
    if (file.tensors.empty() && !file.tokenizer.tokens.empty()) return &kVocabulary;
    return nullptr;
}

std::optional<Error> refuseRead(const ModelFile& file) {
    const Companion* companion = companionOf(file);
    return companion ? std::optional(refusal(file.path, *companion)) : std::nullopt;
}

constexpr ErrorId kErrors[] = {ErrorId::Companion};

}  // namespace

extern const Kind kind{.name = "companion",
                       .actions = kGetInstead,
                       .refuse = refuse,
                       .refuseRead = refuseRead,
                       .errors = kErrors};

}  // namespace ingle::formats::companion_kind
