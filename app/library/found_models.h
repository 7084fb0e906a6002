/// Models that other programs keep on this disk. They are offered where they lie and never touched.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ingle::library {

struct FoundModel {
    std::string name;
    std::string path;
    std::string program;  ///< who keeps it, e.g. "Ollama"
    uint64_t bytes = 0;   ///< of all its parts
};

/// The folders to look in. An empty one is left out.
struct ModelPlaces {
    std::string gpt4all;                ///< *.gguf
    std::vector<std::string> lmStudio;  ///< publisher/model/*.gguf; several versions' homes
    std::vector<std::string> jan;       ///< …/model.gguf in a folder named for the model
    std::vector<std::string> ollama;    ///< manifests and blobs
    std::string llamaCpp;               ///< *.gguf
    std::string huggingFace;            ///< models--maker--name/snapshots/revision/*.gguf
};

/// Those of the person who runs this, as the environment and each program's documentation name them.
ModelPlaces usualPlaces();

/// Files that begin as GGUF files do, sorted by name; of a model in parts the first one; no projectors
/// ("mmproj"). Looks at a bounded number of files and folders, so that it ends soon whatever lies there.
std::vector<FoundModel> findModels(const ModelPlaces& places);

}  // namespace ingle::library
