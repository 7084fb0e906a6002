/// What every feature of the window works with. A feature is made of these, and knows no other feature: what
/// it has to tell the others goes through a signal here.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include "app/desktop/services/actions.h"
#include "app/desktop/services/app_files.h"
#include "app/desktop/services/background_work.h"
#include "app/desktop/services/code_colours.h"
#include "app/desktop/services/desktop_portal.h"
#include "app/desktop/services/engine_client.h"
#include "app/desktop/services/formula_pictures.h"
#include "app/desktop/services/model_in_use.h"
#include "app/desktop/services/notices.h"
#include "app/desktop/services/opener.h"
#include "app/desktop/services/save_place.h"
#include "app/desktop/services/settings.h"
#include "app/desktop/services/storage_thread.h"
#include "app/desktop/services/text_saver.h"

namespace ingle::desktop {

class Services : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(ingle::desktop::Settings* settings READ settings CONSTANT)
    Q_PROPERTY(ingle::desktop::Notices* notices READ notices CONSTANT)
    Q_PROPERTY(ingle::desktop::DesktopPortal* portal READ portal CONSTANT)
    Q_PROPERTY(ingle::desktop::CodeColours* colours READ colours CONSTANT)
    Q_PROPERTY(ingle::desktop::FormulaPictures* formulas READ formulas CONSTANT)
    Q_PROPERTY(ingle::desktop::TextSaver* saver READ saver CONSTANT)
    Q_PROPERTY(ingle::desktop::SavePlace* savePlace READ savePlace CONSTANT)
    Q_PROPERTY(ingle::desktop::ModelInUse* model READ model CONSTANT)
    Q_PROPERTY(ingle::desktop::Opener* opener READ opener CONSTANT)
    Q_PROPERTY(ingle::desktop::Actions* actions READ actions CONSTANT)
  public:
    /// Opens the files and starts to read what is stored.
    Services(const AppFiles& files, const HostCommand& host);

    const AppFiles& files() const { return m_files; }
    StorageThread& storage() { return m_storage; }
    EngineClient& engine() { return m_engine; }
    BackgroundWork& work() { return m_work; }
    Settings* settings() { return &m_settings; }
    Notices* notices() { return &m_notices; }
    DesktopPortal* portal() { return &m_portal; }
    CodeColours* colours() { return &m_colours; }
    FormulaPictures* formulas() { return &m_formulas; }
    TextSaver* saver() { return &m_saver; }
    SavePlace* savePlace() { return &m_savePlace; }
    ModelInUse* model() { return &m_model; }
    Opener* opener() { return &m_opener; }
    Actions* actions() { return &m_actions; }

  signals:
    /// Conversations came or went, and not through the sidebar.
    void conversationsChanged();
    /// The history is another one than before.
    void historyReplaced();
    /// The file of the history was overwritten by somebody else: what is shown is not in it.
    void historyLost();
    /// Memory on the disk is kept for other documents than before.
    void keptDocumentsChanged();
    /// What is said from now on is said in another language.
    void languageChanged();
    /// What models have read of documents is to go.
    void documentMemoryUnwanted();

  private:
    const AppFiles m_files;
    // Destroyed from the last to the first: the engine stops before the storage finishes its work.
    StorageThread m_storage;
    EngineClient m_engine;
    CodeColours m_colours;
    FormulaPictures m_formulas;
    DesktopPortal m_portal;
    Notices m_notices;
    TextSaver m_saver;
    SavePlace m_savePlace;
    Settings m_settings;
    BackgroundWork m_work;
    ModelInUse m_model;
    Opener m_opener;
    Actions m_actions;
};

}  // namespace ingle::desktop
