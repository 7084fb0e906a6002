#include "engine/backend/vulkan/matvec/kernel_file.h"

#include <algorithm>

#include "engine/io/atomic_file.h"
#include "engine/io/mapped_file.h"

namespace ingle::backend::vulkan {
namespace {

using nlohmann::json;

bool isKernelRow(const json& row, size_t numNumbers) {
    return row.is_array() && row.size() == 1 + numNumbers && row[0].is_string() &&
           std::all_of(row.begin() + 1, row.end(),
                       [](const json& number) { return number.is_number_unsigned(); });
}

}  // namespace

std::string kernelFilePath(const std::string& folder, std::string_view table, std::string_view identity,
                           ActivationType activations) {
    if (folder.empty()) return {};
    const std::string_view exact = activations == ActivationType::F32 ? "-f32" : "";
    return fmt::format("{}/{}{}-{}.json", folder, table, exact, identity);
}

bool readKernelFile(const std::string& path, const KernelTable& table,
                    const std::function<bool(const json& row)>& see) {
    const auto file = io::MappedFile::open(path);
    if (!file) return false;
    const auto* text = reinterpret_cast<const char*>((*file)->bytes().data());
    const json content = json::parse(text, text + (*file)->bytes().size(), nullptr, false);
    if (!content.is_object() || !content.contains("rows") || !content["rows"].is_array()) return false;
    if (!content.contains("version") || content["version"] != table.version) return false;
    return std::ranges::all_of(
        content["rows"], [&](const json& row) { return isKernelRow(row, table.numNumbers) && see(row); });
}

Status writeKernelFile(const std::string& path, const KernelTable& table, const json& rows) {
    const std::string text = json{{"version", table.version}, {"rows", rows}}.dump();
    INGLE_TRY_ASSIGN(const auto file, io::AtomicFile::create(path));
    INGLE_TRY(file->write(std::as_bytes(std::span(text))));
    return file->commit(io::Durability::Unflushed);
}

}  // namespace ingle::backend::vulkan
