/// forEachZipped() by libzip.
#include <zip.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "app/exchange/foreign_file.h"

namespace ingle::exchange {
namespace {

tl::unexpected<Error> damagedArchive() {
    return fail(ErrorCode::Corrupt, "The archive is damaged.");
}

}  // namespace

Status forEachZipped(const std::string& path, std::string_view begin, std::string_view end,
                     const std::function<Status(const std::string& content)>& take) {
    const std::unique_ptr<zip_t, void (*)(zip_t*)> archive(zip_open(path.c_str(), ZIP_RDONLY, nullptr),
                                                           [](zip_t* opened) {
                                                               if (opened) zip_discard(opened);
                                                           });
    if (!archive) return damagedArchive();
    std::set<std::pair<std::string, zip_uint64_t>> parts;
    const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
    for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(std::max<zip_int64_t>(count, 0)); ++i) {
        const char* name = zip_get_name(archive.get(), i, 0);
        if (!name) continue;
        std::string_view bare = name;
        bare = bare.substr(bare.find_last_of('/') + 1);
        if (bare.starts_with(begin) && bare.ends_with(end)) parts.emplace(name, i);
    }
    for (const auto& [name, index] : parts) {
        zip_stat_t facts;
        zip_stat_init(&facts);
        constexpr zip_uint64_t kNeeded = ZIP_STAT_SIZE | ZIP_STAT_ENCRYPTION_METHOD;
        if (zip_stat_index(archive.get(), index, 0, &facts) != 0 || (facts.valid & kNeeded) != kNeeded)
            return damagedArchive();
        if (facts.encryption_method != ZIP_EM_NONE)
            return fail(ErrorCode::Unsupported, "The archive is encrypted; unpack it first.");
        if (facts.size > kMostBytes)
            return fail(ErrorCode::Unsupported, "The archive unpacks to more than 2 GB.");
        const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(zip_fopen_index(archive.get(), index, 0),
                                                                     &zip_fclose);
        if (!file) return damagedArchive();
        std::string content;
        std::array<char, 65536> buffer;
        for (zip_int64_t read; (read = zip_fread(file.get(), buffer.data(), buffer.size())) != 0;) {
            // What it says of its size may be a lie.
            if (read < 0 || content.size() > facts.size) return damagedArchive();
            content.append(buffer.data(), static_cast<size_t>(read));
        }
        INGLE_TRY(take(content));
    }
    return {};
}

}  // namespace ingle::exchange
