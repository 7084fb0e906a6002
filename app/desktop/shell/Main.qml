// The window: sidebar, conversation, and whatever lies over them.
import QtQuick
import QtQuick.Dialogs
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

T.ApplicationWindow {
    id: window

    required property AppModel app
    readonly property bool narrow: width < Theme.narrowWidth

    component PageView: ChatView {
        required property ChatPage page

        chat: page.chat
        status: page.status
        measure: page.measure
        editMeasure: page.editMeasure
        words: page.words
        finder: page.finder
        shelf: window.app.documents
        prompts: window.app.prompts
        documents: window.app.chatDocuments
        startPage: window.app.startPage
        models: window.app.models
        offers: window.app.offers
        notices: window.app.notices
        actions: window.app.actions
        portal: window.app.portal
        colours: window.app.colours
        formulas: window.app.formulas
        narrow: window.narrow
        onSidebarRequested: drawer.open()
        onSaveRequested: (text, label) => saveDialog.saveCode(text, label)
    }
    readonly property ChatView shownView: app.secret.shown ? privateView.item as ChatView : chatView

    width: 1080
    height: 760
    minimumWidth: 360
    minimumHeight: 420
    // WindowPlace shows it.
    visible: false
    Component.onCompleted: app.place.show(window)
    // The desktop may write down titles of windows.
    title: app.secret.shown ? qsTr("Private chat") + " — Inglenook"
        : app.chat.title.length > 0 ? app.chat.title + " — Inglenook" : "Inglenook"
    color: Theme.window

    Binding {
        target: Theme
        property: "dark"
        value: window.app.settings.theme === "dark"
            || (window.app.settings.theme !== "light" && window.app.portal.prefersDark)
    }
    Binding {
        target: Theme
        property: "secret"
        value: window.app.secret.shown
    }
    Binding {
        target: Theme
        property: "textScale"
        value: window.app.settings.textScale / 100
    }
    Binding {
        target: Theme
        property: "reducedMotion"
        value: window.app.portal.reducesMotion
    }
    Binding {
        target: Theme
        property: "fixedFontFamily"
        value: window.app.portal.fixedFontFamily
    }

    RowLayout {
        anchors.fill: parent
        spacing: 0

        Loader {
            Layout.preferredWidth: window.app.place.sidebarWidth
            Layout.fillHeight: true
            active: !window.narrow
            visible: active
            sourceComponent: sidebar
        }
        Item {
            Layout.fillWidth: true
            Layout.fillHeight: true

            PageView {
                id: chatView
                anchors.fill: parent
                visible: !window.app.secret.shown
                page: window.app.page
            }
            // Made anew for each, so that no field remembers what was in it.
            Loader {
                id: privateView
                anchors.fill: parent
                active: window.app.secret.open
                visible: window.app.secret.shown
                sourceComponent: PageView {
                    secret: window.app.secret
                    page: window.app.secret.page
                }
            }
        }
    }

    // The sidebar's edge.
    MouseArea {
        objectName: "sidebarEdge"
        x: window.app.place.sidebarWidth - width / 2
        width: Theme.s
        height: window.height
        visible: !window.narrow
        cursorShape: Qt.SplitHCursor
        onPositionChanged: mouse => window.app.place.sidebarWidth = Math.round(x + mouse.x)
    }

    Component {
        id: sidebar
        Sidebar {
            chat: window.app.page.chat
            secret: window.app.secret
            conversations: window.app.conversations
            folders: window.app.folders
            profiles: window.app.page.profiles
            actions: window.app.actions
            onChosen: {
                drawer.close();
                window.shownView.focusComposer();
            }
            onDone: {
                drawer.close();
                window.shownView.focusComposer();
            }
        }
    }

    T.Drawer {
        id: drawer
        width: Math.min(window.app.place.sidebarWidth, window.width - Theme.xxl)
        height: window.height
        edge: Application.layoutDirection === Qt.RightToLeft ? Qt.RightEdge : Qt.LeftEdge
        interactive: window.narrow
        enter: Transition {
            SmoothedAnimation {
                velocity: 5
            }
        }
        exit: Transition {
            SmoothedAnimation {
                velocity: 5
            }
        }
        T.Overlay.modal: Rectangle {
            color: Theme.scrim
        }
        contentItem: Loader {
            active: window.narrow
            sourceComponent: sidebar
        }
    }

    ModelLibrary {
        id: library
        models: window.app.models
        offers: window.app.offers
        smaller: window.app.smaller
        actions: window.app.actions
        portal: window.app.portal
    }
    DocumentsCard {
        id: documentsCard
        shelf: window.app.documents
    }
    QuotesCard {
        id: quotesCard
        finder: window.app.quotes
    }
    PromptCard {
        id: promptCard
        prompt: window.app.shownPage.prompt
        actions: window.app.actions
        portal: window.app.portal
    }
    ProfileCard {
        id: profileCard
        editor: window.app.shownPage.profiles
    }
    DataCard {
        id: dataCard
        importer: window.app.chatImport
        backups: window.app.backups
        places: window.app.dataPlaces
        actions: window.app.actions
        portal: window.app.portal
    }
    ImportCard {
        importer: window.app.chatImport
        portal: window.app.portal
    }
    ExportCard {
        id: exportCard
        exporter: window.app.chatExport
        dialog: saveDialog
        folders: window.app.folders
    }
    SettingsCard {
        id: settingsCard
        onDataWanted: {
            close();
            dataCard.open();
        }
        settings: window.app.settings
        devices: window.app.devices
        models: window.app.models
        about: window.app.about
    }
    PromptsCard {
        id: promptsCard
        prompts: window.app.prompts
    }
    ShortcutsCard {
        id: shortcutsCard
        actions: window.app.actions
    }
    TrashCard {
        id: trashCard
        trash: window.app.trash
    }
    PaletteCard {
        id: paletteCard
        actions: window.app.actions
    }
    CrashCard {
        id: crashCard
        crashes: window.app.crashes
        portal: window.app.portal
        onSaveRequested: {
            saveDialog.saveText(qsTr("Save the crash report"), "inglenook-crash.txt", window.app.crashes.text);
        }
    }
    // The desktop's own through its portal, Qt's where there is none.
    FileDialog {
        id: openDialog
        objectName: "openDialog"
        title: qsTr("Open a model or a document")
        nameFilters: [qsTr("All files (*)"), qsTr("Models (*.gguf *.bin *.flm *.safetensors *.pth *.json)"),
                      qsTr("Documents (*.txt *.md *.html *.pdf *.docx *.odt)")]
        onAccepted: window.openFiles([selectedFile])
    }
    SaveDialog {
        id: saveDialog
        place: window.app.savePlace

        function saveText(heading: string, name: string, text: string) {
            ask(heading, name, (file, replace) => window.app.saver.save(text, file, replace));
        }
        function saveCode(text: string, label: string) {
            saveText(qsTr("Save the code"), window.app.saver.codeName(label), text);
        }
    }
    FitCard {
        fit: window.app.fit
    }
    SmallerCard {
        smaller: window.app.smaller
        portal: window.app.portal
    }
    HelpCard {
        id: helpCard
        onSaveRequested: (text, label) => saveDialog.saveCode(text, label)
        colours: window.app.colours
        formulas: window.app.formulas
        portal: window.app.portal
    }
    Toasts {
        parent: window.shownView
        anchors.bottom: parent.bottom
        anchors.bottomMargin: window.shownView.composerHeight + Theme.s
        width: parent.width
        room: window.shownView.height - anchors.bottomMargin
        notices: window.app.notices
    }

    DropArea {
        id: dropArea
        anchors.fill: parent
        onEntered: drag => drag.accepted = drag.hasUrls
        onDropped: drop => {
            window.openFiles(drop.urls);
            drop.accept();
        }

        Rectangle {
            anchors.fill: parent
            visible: dropArea.containsDrag
            color: Theme.scrim

            Rectangle {
                anchors.centerIn: parent
                width: dropText.implicitWidth + 2 * Theme.xxl
                height: dropText.implicitHeight + 2 * Theme.xl
                radius: Theme.largeRadius
                color: Theme.popup

                Text {
                    id: dropText
                    textFormat: Text.PlainText
                    anchors.centerIn: parent
                    text: qsTr("Drop to open")
                    color: Theme.text
                    font.pixelSize: Theme.headingSize(2)
                }
            }
        }
    }

    Connections {
        target: window.app.chat
        function onModelNeeded() {
            library.open();
        }
    }

    Connections {
        target: window.app.documents
        function onOpened() {
            documentsCard.open();
        }
    }

    Connections {
        target: window.app.quotes
        function onFound() {
            quotesCard.open();
        }
    }

    // They speak of the chat that was shown.
    Connections {
        target: window.app
        function onChatChanged() {
            promptCard.close();
            profileCard.close();
        }
    }

    Connections {
        target: promptCard.prompt
        function onOpened() {
            promptCard.open();
        }
    }

    Connections {
        target: profileCard.editor
        function onOpened() {
            profileCard.open();
        }
    }

    Connections {
        target: window.app.models
        function onInsteadWanted() {
            library.open();
        }
    }

    Connections {
        target: window.app
        function onFilesGiven(files) {
            window.openFiles(files);
        }
    }

    Connections {
        target: window.app.actions
        function onViewWanted(view) {
            switch (view) {
            case Actions.ComposerView:
                window.shownView.focusComposer();
                break;
            case Actions.ModelsView:
                library.open();
                break;
            case Actions.DocumentsView:
                documentsCard.open();
                break;
            case Actions.SettingsView:
                settingsCard.open();
                break;
            case Actions.HelpView:
                helpCard.open();
                break;
            case Actions.PaletteView:
                paletteCard.open();
                break;
            case Actions.OpenFileView:
                openDialog.open();
                break;
            case Actions.PromptsView:
                promptsCard.open();
                break;
            case Actions.DataView:
                dataCard.open();
                break;
            case Actions.ImportFileView:
                dataCard.chooseFile();
                break;
            case Actions.TrashView:
                trashCard.open();
                break;
            case Actions.ShortcutsView:
                shortcutsCard.open();
                break;
            case Actions.SearchView:
                if (window.narrow)
                    drawer.open();
                break;
            }
        }
        function onExportWanted(conversation) {
            exportCard.openFor(conversation, window.app.conversations.titleOf(conversation));
        }
        function onRenameWanted() {
            if (window.narrow)
                drawer.open();
        }
    }

    Connections {
        target: window.app.crashes
        function onShown() {
            crashCard.open();
        }
    }

    function openFiles(files: var) {
        library.close();
        app.models.openUrls(files);
    }

    // They rest while a card or a menu lies open: Qt asks where in the window they stand.
    Instantiator {
        model: window.app.actions.shortcuts
        delegate: Shortcut {
            required property var modelData

            sequences: modelData.sequences
            // Read only because it tells that the answer may be another one now.
            enabled: window.app.actions.revision >= 0 && window.app.actions.can(modelData.id)
            onActivated: window.app.actions.run(modelData.id)
        }
    }
}
