#include "engine/session/pictures/picture_shelf.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "ingle/error_ids.h"
#include "ingle/stop_scope.h"

namespace ingle::session {
namespace {

using namespace std::chrono_literals;

tl::unexpected<Error> needed(const std::string& hash) {
    return withId<ErrorId::PictureNeeded>(
        fail(ErrorCode::InvalidArgument, "the picture {} is not there; it has to be sent", shown(hash)),
        hash);
}

tl::unexpected<Error> cancelled() {
    return fail(ErrorCode::Cancelled, "cancelled");
}

/// Where models leave open how many rows a picture has, more take minutes on a processor, and the better part
/// of a usual context.
constexpr uint32_t kMostTokens = 1024;
constexpr uint32_t kShareOfContext = 4;
constexpr uint32_t kLeastTokens = 64;

uint32_t mostTokensOf(uint32_t contextTokens) {
    if (contextTokens == 0) return kMostTokens;
    return std::clamp(contextTokens / kShareOfContext, kLeastTokens, kMostTokens);
}

/// What the rows of a picture depend on beside the file.
std::string configurationOf(const LoadOptions& options, uint32_t mostTokens) {
    std::string text = fmt::format("act{} ref{} most{}", static_cast<int>(options.activations),
                                   options.referenceKernels, mostTokens);
    for (const auto& [key, value] : options.overrides) text += fmt::format(" {}={}", key, value);
    return text;
}

/// Where the model computes on one. A limit of its memory is meant for the model.
bool mayUseDevice(const Model& model) {
    return !model.opened().info.onProcessor && model.options().deviceBytes == 0;
}

}  // namespace

PictureShelf::PictureShelf(const Model& model, std::shared_ptr<SnapshotStore> store, DeviceFactory device)
    : m_path(model.opened().sight->visionFile),
      m_ownFiles(m_path == model.opened().file.path ? model.opened().file.sources
                                                    : std::vector<io::Source>()),
      m_options(visionOptions(model.options())),
      m_mostTokens(mostTokensOf(model.opened().contextTokens)),
      m_store(std::move(store)) {
    if (mayUseDevice(model)) m_device = std::move(device);
}

uint64_t PictureShelf::Entry::bytes() const {
    uint64_t bytes = rows ? rows->size() * sizeof(float) : 0;
    if (cut)
        for (const auto& tile : cut->tiles) bytes += tile.picture.rgb.size();
    return bytes;
}

Status PictureShelf::openFile() {
    if (!m_file) {
        INGLE_TRY_ASSIGN(m_file, io::Source::open(m_path));
    }
    return {};
}

Result<const PictureRecords*> PictureShelf::records() {
    {
        const std::scoped_lock lock(m_opening);
        INGLE_TRY(openFile());
        if (!m_records)
            m_records = std::make_unique<PictureRecords>(
                m_store, m_ownFiles.empty() ? std::vector{*m_file} : m_ownFiles,
                configurationOf(m_options, m_mostTokens));
    }
    INGLE_TRY(m_records->waitUntilReady());
    return m_records.get();
}

Result<VisionModel*> PictureShelf::visionModel() {
    const std::scoped_lock lock(m_opening);
    INGLE_TRY(openFile());
    if (!m_model) {
        INGLE_TRY_ASSIGN(m_model, VisionModel::open(*m_file, m_options, std::nullopt, m_mostTokens));
    }
    return m_model.get();
}

void PictureShelf::moveToDevice(VisionModel& model) {
    if (!m_device) return;
    const Status moved = model.moveToDevice(std::exchange(m_device, nullptr));
    if (!moved)
        setNote(fmt::format("The graphics device is not used for pictures, so the processor reads them: {}",
                            moved.error().message));
}

void PictureShelf::setNote(std::string note) {
    const std::scoped_lock lock(m_mutex);
    m_note = std::move(note);
}

std::string PictureShelf::note() const {
    const std::scoped_lock lock(m_mutex);
    return m_note;
}

Result<std::shared_ptr<const KnownPicture>> PictureShelf::take(const std::string& hash,
                                                               const Picture& picture) {
    INGLE_TRY_ASSIGN(const PictureRecords* records, this->records());
    INGLE_TRY_ASSIGN(VisionModel * model, visionModel());
    INGLE_TRY_ASSIGN(vision::CutPicture cut, model->cut(picture));
    INGLE_TRY_ASSIGN(PictureLayout layout, model->layoutOf(cut));
    auto known = std::make_shared<const KnownPicture>(
        KnownPicture{hash, std::move(layout), records->identityOf(hash)});
    put(hash, {known, std::make_shared<const vision::CutPicture>(std::move(cut)), nullptr});
    const std::scoped_lock lock(m_mutex);
    m_refused.erase(hash);
    return known;
}

Result<PictureShelf::Entry> PictureShelf::entryOf(const std::string& hash) {
    std::optional<Entry> entry;
    {
        const std::scoped_lock lock(m_mutex);
        const auto found = m_entries.find(hash);
        if (found != m_entries.end()) {
            found->second.lastUse = ++m_numUses;
            entry = found->second;
        }
    }
    if (entry && (entry->cut || entry->rows)) return *std::move(entry);
    INGLE_TRY_ASSIGN(const PictureRecords* records, this->records());
    if (entry && records->hasRows(hash)) return *std::move(entry);
    auto layout = records->layoutOf(hash);
    if (!layout) return needed(hash);
    Entry read{std::make_shared<const KnownPicture>(
                   KnownPicture{hash, *std::move(layout), records->identityOf(hash)}),
               nullptr, nullptr};
    put(hash, read);
    return read;
}

void PictureShelf::refuse(const std::string& hash, const Error& why) {
    const std::scoped_lock lock(m_mutex);
    if (m_refused.size() >= kMostRefused) m_refused.clear();
    m_refused.insert_or_assign(hash, why);
}

Result<std::shared_ptr<const KnownPicture>> PictureShelf::find(const std::string& hash) {
    {
        const std::scoped_lock lock(m_mutex);
        if (const auto found = m_refused.find(hash); found != m_refused.end())
            return tl::unexpected(found->second);
    }
    INGLE_TRY_ASSIGN(const Entry entry, entryOf(hash));
    return entry.known;
}

Status PictureShelf::encode(const KnownPicture& picture, const std::string& conversation,
                            const std::function<void(double)>& progress) {
    INGLE_TRY_ASSIGN(const PictureRecords* records, this->records());
    INGLE_TRY_ASSIGN(Entry entry, entryOf(picture.hash));
    if (!entry.rows && entry.cut && !records->hasRows(picture.hash)) {
        std::unique_lock one(m_encoding, std::defer_lock);
        while (!one.try_lock_for(10ms))
            if (StopScope::isStopWanted()) return cancelled();
        INGLE_TRY_ASSIGN(entry, entryOf(picture.hash));  // somebody may have encoded it meanwhile
        if (!entry.rows && entry.cut) {
            INGLE_TRY_ASSIGN(VisionModel * model, visionModel());
            moveToDevice(*model);
            INGLE_TRY_ASSIGN(std::vector<float> rows, model->encode(*entry.cut, [&progress](double fraction) {
                progress(fraction);
                return StopScope::isStopWanted();
            }));
            if (!model->note().empty()) setNote(model->note());
            entry.rows = std::make_shared<const std::vector<float>>(std::move(rows));
            entry.cut = nullptr;
            put(picture.hash, entry);
            const std::scoped_lock lock(m_mutex);
            ++m_numEncoded;
        }
    }
    if (entry.rows)
        records->keep(picture.hash, entry.known->layout, *entry.rows, conversation);
    else
        records->note(picture.hash, conversation);
    return {};
}

Result<std::shared_ptr<const std::vector<float>>> PictureShelf::rows(const KnownPicture& picture) {
    INGLE_TRY_ASSIGN(Entry entry, entryOf(picture.hash));
    if (entry.rows) return entry.rows;
    INGLE_TRY_ASSIGN(const PictureRecords* records, this->records());
    auto rows = records->rowsOf(picture.hash, picture.layout);
    if (!rows) return needed(picture.hash);
    entry.rows = std::make_shared<const std::vector<float>>(*std::move(rows));
    put(picture.hash, entry);
    return entry.rows;
}

void PictureShelf::put(const std::string& hash, Entry entry) {
    const std::scoped_lock lock(m_mutex);
    entry.lastUse = ++m_numUses;
    m_entries[hash] = std::move(entry);
    forgetOld();
}

void PictureShelf::forgetOld() {
    uint64_t bytes = 0;
    for (const auto& [hash, entry] : m_entries) bytes += entry.bytes();
    while (bytes > kMostBytes && m_entries.size() > 1) {
        const auto oldest =
            std::ranges::min_element(m_entries, {}, [](const auto& each) { return each.second.lastUse; });
        bytes -= oldest->second.bytes();
        m_entries.erase(oldest);
    }
}

uint64_t PictureShelf::numEncoded() const {
    const std::scoped_lock lock(m_mutex);
    return m_numEncoded;
}

PictureFacts factsOf(const KnownPicture& picture) {
    const PictureLayout& layout = picture.layout;
    PictureFacts facts{.hash = picture.hash,
                       .width = layout.width,
                       .height = layout.height,
                       .tokens = layout.numRows(),
                       .tiles = {}};
    for (const PictureTile& tile : layout.tiles) facts.tiles.push_back(tile.seen);
    return facts;
}

}  // namespace ingle::session
