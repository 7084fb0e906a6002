/// Files as torch.save writes them, for tests that read or damage them.
#pragma once

#include "tests/engine/formats/sample_folders.h"

namespace ingle::test {

enum class PickleForm { Archive, Legacy };

inline void putPickledText(ByteString& out, std::string_view text) {
    out.put('X').put(static_cast<uint32_t>(text.size())).text(text);
}

inline void putPickledNumbers(ByteString& out, const std::vector<uint64_t>& numbers) {
    out.put('(');
    for (const uint64_t number : numbers) out.put('J').put(static_cast<int32_t>(number));
    out.put('t');
}

inline uint64_t countOf(const std::vector<uint64_t>& dims) {
    uint64_t count = 1;
    for (const uint64_t dim : dims) count *= dim;
    return count;
}

/// The dictionary of the tensors; storages have the numbers of their tensors as keys.
inline std::string statePickle(const FolderTensors& tensors, PickleForm form) {
    ByteString out;
    out.text("\x80\x02}(");
    size_t number = 0;
    for (const auto& [name, dims] : tensors) {
        putPickledText(out, name);
        out.text("ctorch._utils\n_rebuild_tensor_v2\n((");
        putPickledText(out, "storage");
        out.text("ctorch\nFloatStorage\n");
        putPickledText(out, std::to_string(number++));
        putPickledText(out, "cpu");
        out.put('J').put(static_cast<int32_t>(countOf(dims))).text(form == PickleForm::Legacy ? "NtQ" : "tQ");
        out.text("K").put('\0');
        putPickledNumbers(out, dims);
        std::vector<uint64_t> strides(dims.size(), 1);
        for (size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
        putPickledNumbers(out, strides);
        out.text("\x89}tR");
    }
    return out.text("u.").bytes();
}

/// An archive that packs nothing.
inline std::string zipFile(const std::vector<std::pair<std::string, std::string>>& files,
                           uint16_t method = 0) {
    ByteString out, directory;
    for (const auto& [name, data] : files) {
        const auto size = static_cast<uint32_t>(data.size());
        const auto begin = static_cast<uint32_t>(out.bytes().size());
        const auto putFields = [&](ByteString& to) {
            to.put(uint16_t{20})
                .put(uint16_t{0})
                .put(method)
                .put(uint32_t{0})
                .put(uint32_t{0})
                .put(size)
                .put(size);
            to.put(static_cast<uint16_t>(name.size())).put(uint16_t{0});
        };
        out.put(uint32_t{0x04034B50});
        putFields(out);
        out.text(name).text(data);
        directory.put(uint32_t{0x02014B50}).put(uint16_t{20});
        putFields(directory);
        directory.put(uint16_t{0}).put(uint16_t{0}).put(uint16_t{0}).put(uint32_t{0}).put(begin).text(name);
    }
    const auto offset = static_cast<uint32_t>(out.bytes().size());
    const auto count = static_cast<uint16_t>(files.size());
    out.text(directory.bytes()).put(uint32_t{0x06054B50}).put(uint32_t{0}).put(count).put(count);
    out.put(static_cast<uint32_t>(directory.bytes().size())).put(offset).put(uint16_t{0});
    return out.bytes();
}

inline std::string archiveOf(const std::string& pickle, const FolderTensors& tensors = {}) {
    std::vector<std::pair<std::string, std::string>> files = {{"m/data.pkl", pickle}};
    size_t number = 0;
    for (const auto& [name, dims] : tensors)
        files.push_back({"m/data/" + std::to_string(number++), ByteString().floats(countOf(dims)).bytes()});
    return zipFile(files);
}

inline std::string pytorchFile(const FolderTensors& tensors, PickleForm form) {
    const std::string state = statePickle(tensors, form);
    if (form == PickleForm::Archive) return archiveOf(state, tensors);
    ByteString out, keys, storages;
    const std::string magic("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
    out.text(magic).text("\x80\x02M\xe9\x03.").text("\x80\x02}.").text(state);
    keys.text("\x80\x02](");
    size_t number = 0;
    for (const auto& [name, dims] : tensors) {
        putPickledText(keys, std::to_string(number++));
        storages.put(countOf(dims)).floats(countOf(dims));
    }
    return out.text(keys.text("e.").bytes()).text(storages.bytes()).bytes();
}

inline FolderFiles pytorchFolder(PickleForm form) {
    FolderFiles files = mixtralFolder();
    files.erase("model.safetensors");
    files["pytorch_model.bin"] = pytorchFile(mixtralTensors(), form);
    return files;
}

}  // namespace ingle::test
