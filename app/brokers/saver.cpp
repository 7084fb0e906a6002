#include "app/brokers/saver.h"

#include <unistd.h>

#include <filesystem>
#include <map>
#include <mutex>

#include "app/brokers/packet.h"
#include "app/sandbox/hidden_places.h"

namespace ingle::brokers {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostSaved = 16;  // at once
const std::string kMake = "make", kKeep = "keep", kDrop = "drop";
const std::string kDone = "done", kFailed = "failed";

/// The path with its links resolved: what is written is what was looked at. Errors: Io.
Result<std::string> checkedPlace(const std::string& path) {
    std::error_code error;
    if (!fs::path(path).is_absolute() || !fs::is_directory(fs::path(path).parent_path(), error))
        return fail(ErrorCode::Io, "{}: cannot be written: there is no such folder", path);
    if (sandbox::isHiddenPlace(path))
        return fail(ErrorCode::Io, "{}: nothing is saved in hidden folders or under hidden names", path);
    return fs::weakly_canonical(path, error).string();
}

class Saver {
  public:
    explicit Saver(int socket) : m_socket(socket) {}

    void answer(const std::vector<std::string>& words) {
        if (words.size() == 4 && words[0] == kMake)
            return make(words[1], words[2] == "private" ? io::Access::Private : io::Access::ByUmask,
                        words[3] == "replaced" ? io::Existing::Replaced : io::Existing::Kept);
        const auto file = words.size() >= 2 ? m_files.find(words[1]) : m_files.end();
        if (file == m_files.end()) return tell(fail(ErrorCode::Io, "No such file is being written."));
        const auto written = std::move(file->second);
        m_files.erase(file);
        if (words[0] != kKeep || words.size() != 3) return tell({});
        tell(written->commit(words[2] == "flushed" ? io::Durability::Flushed : io::Durability::Unflushed));
    }

  private:
    void make(const std::string& path, io::Access access, io::Existing existing) {
        if (m_files.size() == kMostSaved)
            return tell(fail(ErrorCode::Io, "Too many files are being written."));
        const auto checked = checkedPlace(path);
        if (!checked) return tell(tl::unexpected(checked.error()));
        auto made = io::AtomicFile::create(*checked, access, existing);
        if (!made) return tell(tl::unexpected(made.error()));
        const std::string id = std::to_string(++m_last);
        const int descriptor = (*made)->descriptor();
        m_files[id] = std::move(*made);
        send(m_socket, joined({kDone, id}), {descriptor});
    }

    void tell(const Status& status) const {
        send(m_socket, status ? joined({kDone}) : joined({kFailed, status.error().message}));
    }

    int m_socket;
    uint64_t m_last = 0;
    std::map<std::string, std::unique_ptr<io::AtomicFile>> m_files;
};

class SaverClient : public io::FileMaker {
  public:
    explicit SaverClient(FileDescriptor socket) : m_socket(std::move(socket)) {}

    Result<Made> make(const std::string& path, io::Access access, io::Existing existing) override {
        INGLE_TRY_ASSIGN(Packet answer, ask({kMake, fs::absolute(path).string(),
                                             access == io::Access::Private ? "private" : "shared",
                                             existing == io::Existing::Replaced ? "replaced" : "kept"}));
        const auto words = split(answer.text);
        if (answer.files.size() != 1 || words.size() != 2) return nobody();
        return Made{std::move(answer.files[0]), words[1]};
    }
    Status keep(const std::string& id, io::Durability durability) override {
        INGLE_TRY(ask({kKeep, id, durability == io::Durability::Flushed ? "flushed" : "unflushed"}));
        return {};
    }
    void drop(const std::string& id) override { [[maybe_unused]] const auto dropped = ask({kDrop, id}); }

  private:
    static tl::unexpected<Error> nobody() {
        return fail(ErrorCode::Io, "The process that saves files has ended.");
    }
    Result<Packet> ask(const std::vector<std::string>& words) {
        const std::lock_guard lock(m_mutex);
        if (!send(m_socket.get(), joined(words))) return nobody();
        auto answer = receive(m_socket.get());
        if (!answer) return nobody();
        const auto said = split(answer->text);
        if (said.empty() || said[0] != kDone)
            return fail(ErrorCode::Io, "{}", said.size() > 1 ? said[1] : "Saving failed.");
        return std::move(*answer);
    }

    FileDescriptor m_socket;
    std::mutex m_mutex;
};

}  // namespace

void save(int socket) {
    Saver saver(socket);
    while (const auto question = receive(socket)) saver.answer(split(question->text));
    ::_exit(0);
}

io::FileMaker* saverAt(FileDescriptor socket) {
    return new SaverClient(std::move(socket));
}

}  // namespace ingle::brokers
