// The window: sidebar, conversation, and the pages and cards that take their place or lie over them.
import QtQuick
import QtQuick.Dialogs
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

T.ApplicationWindow {
    id: window

    required property AppModel app
    readonly property Services services: app.services
    readonly property Actions actions: services.actions
    readonly property PrivateChat secret: app.chats.secret
    readonly property bool narrow: width < Theme.narrowWidth
    /// The language is written from right to left.
    readonly property bool mirrored: Application.layoutDirection === Qt.RightToLeft
    readonly property ChatView shownView: secret.shown ? privateView.item as ChatView : chatView
    /// The page that is shown in the place of the chat; empty: none is.
    property string page: ""
    /// Cards that have been opened, by their names.
    property var cards: ({})

    component PageView: ChatView {
        required property ChatPage page

        chat: page.chat
        status: page.status
        measure: page.measure
        editMeasure: page.editMeasure
        words: page.words
        finder: page.finder
        viewer: page.viewer
        startPage: window.app.chats.startPage
        prompts: window.app.chats.prompts
        models: window.services.model
        notices: window.services.notices
        actions: window.actions
        portal: window.services.portal
        colours: window.services.colours
        formulas: window.services.formulas
        narrow: window.narrow
        startOffers: startModels
        onSidebarRequested: drawer.open()
        onModelsRequested: modelMenu.openFor(0)
        onSaveRequested: (text, label) => saveDialog.saveCode(text, label)
    }
    Component {
        id: startModels
        StartOffers {
            app: window.app
        }
    }
    // Documents are kept; a private chat has none.
    Component {
        id: documentStrip
        DocumentStrip {
            objectName: "documentStrip"
            shelf: window.app.documents.shelf
            model: window.app.documents.ofChat
        }
    }

    /// Opens a page or a card by its name, see Parts.
    function open(name: string) {
        if (parts.pages[name])
            showPage(name);
        else if (parts.cards[name])
            card(name).open();
    }
    /// Fields of a page keep what was typed when they lose the keyboard.
    function commitFields() {
        if (page.length > 0 && activeFocusItem)
            activeFocusItem.focus = false;
    }
    function showPage(name: string) {
        commitFields();
        const given = {
            "app": app
        };
        if (name === "help" || name === "picture")
            given.dialog = saveDialog;
        page = name;
        pageLoader.setSource(parts.pages[name], given);
        (pageLoader.item as Page)?.takeFocus();
        drawer.close();
    }
    function leavePage() {
        commitFields();
        page = "";
        pageLoader.source = "";
    }
    /// Made when it is asked for the first time.
    function card(name: string): Card {
        if (!cards[name]) {
            const given = {
                "app": app
            };
            if (name === "crash" || name === "export")
                given.dialog = saveDialog;
            const component = Qt.createComponent(parts.cards[name]);
            cards[name] = component.createObject(window.contentItem, given);
            cards[name].services = services;
        }
        return cards[name];
    }
    function toComposer() {
        leavePage();
        shownView.focusComposer();
    }
    function openFiles(files: var) {
        const areDocuments = page === "documents";
        leavePage();
        if (areDocuments)
            services.opener.openDocuments(files);
        else
            services.opener.openUrls(files);
    }

    width: 1080
    height: 760
    minimumWidth: 360
    minimumHeight: 420
    // WindowPlace shows it.
    visible: false
    Component.onCompleted: app.place.show(window)
    // The desktop may write down titles of windows.
    title: secret.shown ? qsTr("Private chat") + " — Inglenook"
        : app.chats.chat.title.length > 0 ? app.chats.chat.title + " — Inglenook" : "Inglenook"
    color: Theme.window

    onClosing: commitFields()

    // Readers come for a text when they have time: each keeps its own until its turn comes again.
    Repeater {
        model: ScreenReader.voices
        ScreenReaderVoice {
            required property int index

            turn: index
            Accessible.role: ScreenReader.notification
            Accessible.name: words
        }
    }
    ThemeBindings {
        services: window.services
        secret: window.secret
    }
    Parts {
        id: parts
    }

    RowLayout {
        LayoutMirroring.enabled: window.mirrored
        LayoutMirroring.childrenInherit: true
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
                visible: !window.secret.shown && window.page.length === 0
                page: window.app.chats.page
                documents: documentStrip
            }
            // Made anew for each, so that no field remembers what was in it.
            Loader {
                id: privateView
                anchors.fill: parent
                active: window.secret.open
                visible: window.secret.shown && window.page.length === 0
                sourceComponent: PageView {
                    secret: window.secret
                    page: window.secret.page
                }
            }
            ColumnLayout {
                anchors.fill: parent
                visible: window.page.length > 0
                spacing: 0

                Banner {
                    Layout.fillWidth: true
                    Layout.topMargin: visible ? Theme.s : 0
                    notices: window.services.notices
                    portal: window.services.portal
                }
                Loader {
                    id: pageLoader
                    objectName: "pageLoader"
                    Layout.fillWidth: true
                    Layout.fillHeight: true
                }
            }
            Connections {
                target: pageLoader.item
                ignoreUnknownSignals: true
                function onDone() {
                    window.toComposer();
                }
            }
        }
    }

    // The sidebar's edge.
    MouseArea {
        objectName: "sidebarEdge"
        x: (window.mirrored ? window.width - window.app.place.sidebarWidth : window.app.place.sidebarWidth) - width / 2
        width: Theme.s
        height: window.height
        visible: !window.narrow
        cursorShape: Qt.SplitHCursor
        onPositionChanged: mouse => {
            const at = Math.round(x + mouse.x);
            window.app.place.sidebarWidth = window.mirrored ? window.width - at : at;
        }
    }

    Component {
        id: sidebar
        Sidebar {
            chat: window.app.chats.page.chat
            secret: window.secret
            conversations: window.app.sidebar.conversations
            folders: window.app.sidebar.folders
            profiles: window.app.chats.page.profiles
            actions: window.actions
            page: window.page
            onChosen: {
                drawer.close();
                window.toComposer();
            }
            onDone: {
                drawer.close();
                window.toComposer();
            }
            onSearchLeft: window.app.chats.page.finder.lookAway()
        }
    }

    T.Drawer {
        id: drawer
        width: Math.min(window.app.place.sidebarWidth, window.width - Theme.xxl)
        height: window.height
        edge: window.mirrored ? Qt.RightEdge : Qt.LeftEdge
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
            LayoutMirroring.enabled: window.mirrored
            LayoutMirroring.childrenInherit: true
            active: window.narrow
            sourceComponent: sidebar
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
    FileDialog {
        id: attachDialog
        objectName: "attachDialog"
        title: qsTr("Add pictures or documents")
        fileMode: FileDialog.OpenFiles
        nameFilters: [qsTr("Pictures and documents (*.png *.jpg *.jpeg *.webp *.txt *.md *.html *.pdf *.docx *.odt)"),
                      qsTr("All files (*)")]
        onAccepted: window.openFiles(selectedFiles)
    }
    ImportDialogs {
        id: importDialogs
        importer: window.app.data.chatImport
    }
    SaveDialog {
        id: saveDialog
        place: window.services.savePlace
        saver: window.services.saver
    }
    Toasts {
        parent: window.shownView.visible ? window.shownView : pageLoader
        anchors.bottom: parent.bottom
        anchors.bottomMargin: (window.shownView.visible ? window.shownView.composerHeight : 0) + Theme.s
        width: parent.width
        room: parent.height - anchors.bottomMargin
        notices: window.services.notices
    }
    ModelMenu {
        id: modelMenu
        app: window.app
        parent: window.shownView
    }
    DropPlace {
        anchors.fill: parent
        onFilesDropped: files => window.openFiles(files)
        onPictureDropped: bytes => {
            window.leavePage();
            window.app.chats.chat.attachBytes(bytes);
        }
    }

    Connections {
        target: window.app.chats.chat
        function onFilesPasted(files) {
            window.openFiles(files);
        }
        function onModelNeeded() {
            window.open("models");
        }
        function onOtherModelWanted(message: double) {
            modelMenu.openFor(message);
        }
    }
    Connections {
        target: window.app
        function onFilesGiven(files) {
            window.openFiles(files);
        }
    }
    Connections {
        target: window.actions
        function onPageWanted(page) {
            switch (page) {
            case "composer":
                window.toComposer();
                break;
            case "openFile":
                openDialog.open();
                break;
            case "attach":
                attachDialog.open();
                break;
            case "importFile":
                importDialogs.chooseFile();
                break;
            case "search":
                if (window.narrow)
                    drawer.open();
                break;
            default:
                window.open(page);
            }
        }
        function onExportWanted(conversation) {
            const dialog = window.card("export") as ExportCard;
            dialog.openFor(conversation, window.app.sidebar.conversations.titleOf(conversation));
        }
        function onRenameWanted() {
            if (window.narrow)
                drawer.open();
        }
    }

    // They rest while a card or a menu lies open: Qt asks where in the window they stand.
    Instantiator {
        model: window.actions.shortcuts
        delegate: Shortcut {
            required property var modelData

            sequences: modelData.sequences
            // Read only because it tells that the answer may be another one now.
            enabled: window.actions.revision >= 0 && (modelData.anywhere || window.page.length === 0)
                && window.actions.can(modelData.id)
            onActivated: window.actions.run(modelData.id)
        }
    }
}
