#include "app/desktop/viewmodels/text_saver.h"

#include <span>
#include <string>

#include "app/content/code_language.h"
#include "app/desktop/text.h"
#include "engine/io/atomic_file.h"

namespace ingle::desktop {
namespace {

Status writeFile(const std::string& path, const std::string& text) {
    INGLE_TRY_ASSIGN(const auto file, io::AtomicFile::create(path));
    INGLE_TRY(file->write(std::as_bytes(std::span(text))));
    return file->commit();
}

}  // namespace

TextSaver::TextSaver(StorageThread& storage, Notices& notices, QObject* parent)
    : QObject(parent), m_storage(storage), m_notices(notices) {}

QString TextSaver::codeName(const QString& label) const {
    const std::string extension(content::codeExtension(content::codeLanguage(label.toStdString())));
    return QStringLiteral("code.") + toQString(extension);
}

void TextSaver::save(const QString& text, const QUrl& file) {
    const QString path = file.toLocalFile();
    const auto work = [path = path.toStdString(), text = text.toStdString()] {
        return writeFile(path, text);
    };
    m_storage.run(this, work, [this, path](const Status& written) {
        if (written) return m_notices.showToast(tr("Saved as %1").arg(path));
        m_notices.showBanner({.topic = Notices::Topic::Files,
                              .sentence = tr("%1 could not be written.").arg(path),
                              .details = toQString(written.error().message)});
    });
}

}  // namespace ingle::desktop
