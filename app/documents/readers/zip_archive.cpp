#include "app/documents/readers/zip_archive.h"

#include <zip.h>

#include <array>

#include "app/documents/limits.h"
#include "app/documents/refusals.h"

namespace ingle::documents {
namespace {

bool isBomb(uint64_t packed, uint64_t unpacked) {
    if (unpacked > limits::kPartBytes) return true;
    return unpacked > limits::kSmallPart && unpacked / limits::kPartRatio > packed;
}

}  // namespace

void ZipArchive::Discard::operator()(zip* archive) const {
    zip_discard(archive);
}

ZipArchive::ZipArchive(zip* archive, std::string_view format) : m_archive(archive), m_format(format) {}

Result<ZipArchive> ZipArchive::open(std::string_view bytes, std::string_view format) {
    zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, nullptr);
    zip_t* archive = source ? zip_open_from_source(source, ZIP_RDONLY, nullptr) : nullptr;
    if (!archive) {
        zip_source_free(source);
        return refuse(Refusal::Damaged, format);
    }
    return ZipArchive(archive, format);
}

bool ZipArchive::has(const std::string& part) const {
    return zip_name_locate(m_archive.get(), part.c_str(), 0) >= 0;
}

Result<std::string> ZipArchive::read(const std::string& part) const {
    constexpr zip_uint64_t kNeeded =
        ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    zip_stat_t facts;
    zip_stat_init(&facts);
    if (zip_stat(m_archive.get(), part.c_str(), 0, &facts) != 0 || (facts.valid & kNeeded) != kNeeded)
        return refuse(Refusal::Damaged, m_format);
    if (facts.encryption_method != ZIP_EM_NONE) return refuse(Refusal::Encrypted, m_format);
    if (facts.comp_method != ZIP_CM_STORE && facts.comp_method != ZIP_CM_DEFLATE)
        return refuse(Refusal::Damaged, m_format);
    if (isBomb(facts.comp_size, facts.size)) return refuse(Refusal::Bomb, m_format);

    const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(
        zip_fopen_index(m_archive.get(), facts.index, 0), &zip_fclose);
    if (!file) return refuse(Refusal::Damaged, m_format);
    std::string content;
    std::array<char, 65536> buffer;
    for (;;) {
        const zip_int64_t count = zip_fread(file.get(), buffer.data(), buffer.size());
        if (count < 0) return refuse(Refusal::Damaged, m_format);
        if (count == 0) return content;
        content.append(buffer.data(), static_cast<size_t>(count));
        // What it says of its size may be a lie.
        if (isBomb(facts.comp_size, content.size())) return refuse(Refusal::Bomb, m_format);
    }
}

}  // namespace ingle::documents
