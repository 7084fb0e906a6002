#include "app/desktop/services/picture_courier.h"

#include "app/history/chats/pictures.h"

namespace ingle::desktop {

bool PictureCourier::bring(const Error& error, QObject* context, std::function<void()> again,
                           std::function<void(const Error&)> failed) {
    if (errorIdOf(error) != ErrorId::PictureNeeded) return false;
    const std::string hash = error.arguments.front();
    const auto look = [hash](history::HistoryReader& history) { return history::picture(history, hash); };
    m_storage.readBehindWrites(
        context, look,
        [this, error, hash, context, again = std::move(again),
         failed = std::move(failed)](Result<history::PictureFile> picture) {
            if (!picture) return failed(error);
            const auto taken = [this, again, failed](const Result<protocol::PictureTaken>& facts) {
                // What cannot be read is told by words where it is not what is asked about: the engine
                // remembers it.
                m_numRefused = facts ? 0 : m_numRefused + 1;
                facts || m_numRefused <= kMostAtOnce ? again() : failed(facts.error());
            };
            m_engine.ask(
                protocol::Picture{hash, std::move(picture->bytes)},
                std::function<void(const Result<protocol::PictureTaken>&)>(whileAlive(context, taken)));
        });
    return true;
}

}  // namespace ingle::desktop
