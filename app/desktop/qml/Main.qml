// The window: sidebar, conversation, and whatever lies over them.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

T.ApplicationWindow {
    id: window

    required property AppModel app
    readonly property bool narrow: width < Theme.narrowWidth

    width: 1080
    height: 760
    minimumWidth: 360
    minimumHeight: 420
    visible: true
    title: app.chat.title.length > 0 ? app.chat.title + " — Inglenook" : "Inglenook"
    color: Theme.window

    Binding {
        target: Theme
        property: "dark"
        value: window.app.settings.theme === "dark"
            || (window.app.settings.theme !== "light" && window.app.portal.prefersDark)
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
            Layout.preferredWidth: Theme.sidebarWidth
            Layout.fillHeight: true
            active: !window.narrow
            visible: active
            sourceComponent: sidebar
        }
        ChatView {
            id: chatView
            Layout.fillWidth: true
            Layout.fillHeight: true
            app: window.app
            narrow: window.narrow
            onSidebarRequested: drawer.open()
            onModelsRequested: library.open()
            onSettingsRequested: settingsCard.open()
        }
    }

    Component {
        id: sidebar
        Sidebar {
            app: window.app
            onChosen: {
                drawer.close();
                chatView.focusComposer();
            }
        }
    }

    T.Drawer {
        id: drawer
        width: Math.min(Theme.sidebarWidth, window.width - Theme.xxl)
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
        app: window.app
    }
    SettingsCard {
        id: settingsCard
        app: window.app
    }
    ShortcutsCard {
        id: shortcutsCard
    }
    FitCard {
        app: window.app
    }
    HelpCard {
        id: helpCard
        app: window.app
    }
    Toast {
        parent: T.Overlay.overlay
        app: window.app
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
                    anchors.centerIn: parent
                    text: qsTr("Drop to use this model")
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
        target: window.app
        function onFilesGiven(files) {
            window.openFiles(files);
        }
        function onNewChatWanted() {
            window.newConversation();
        }
    }

    function openFiles(files: var) {
        library.close();
        app.models.openUrls(files);
    }
    function newConversation() {
        app.chat.newConversation();
        chatView.focusComposer();
    }
    function openNeighbour(step: int) {
        const conversation = app.conversations.neighbour(app.chat.conversationId, step);
        if (conversation !== 0)
            app.chat.open(conversation);
    }
    function openSearch() {
        if (narrow)
            drawer.open();
        app.conversations.searchRequested();
    }

    Shortcut {
        sequences: [ShortcutKeys.newConversation]
        onActivated: window.newConversation()
    }
    Shortcut {
        sequences: [StandardKey.Find, ShortcutKeys.search]
        onActivated: window.openSearch()
    }
    Shortcut {
        sequence: ShortcutKeys.copyAnswer
        onActivated: window.app.portal.copy(window.app.chat.messageText(window.app.chat.messages.lastMessageId))
    }
    Shortcut {
        sequence: ShortcutKeys.regenerate
        onActivated: window.app.chat.regenerate(window.app.chat.messages.lastMessageId)
    }
    Shortcut {
        sequence: ShortcutKeys.continueAnswer
        onActivated: window.app.chat.continueAnswer(window.app.chat.messages.lastMessageId)
    }
    Shortcut {
        sequence: ShortcutKeys.pin
        onActivated: window.app.conversations.togglePinned(window.app.chat.conversationId)
    }
    Shortcut {
        sequence: ShortcutKeys.remove
        enabled: window.app.chat.conversationId !== 0
        onActivated: window.app.conversations.remove(window.app.chat.conversationId)
    }
    Shortcut {
        sequence: "Alt+Down"
        onActivated: window.openNeighbour(1)
    }
    Shortcut {
        sequence: "Alt+Up"
        onActivated: window.openNeighbour(-1)
    }
    Shortcut {
        sequence: ShortcutKeys.shortcuts
        onActivated: shortcutsCard.open()
    }
    Shortcut {
        sequence: ShortcutKeys.help
        onActivated: helpCard.open()
    }
    Shortcut {
        sequence: ShortcutKeys.models
        onActivated: library.open()
    }
    Shortcut {
        sequence: ShortcutKeys.settings
        onActivated: settingsCard.open()
    }
    Shortcut {
        sequence: ShortcutKeys.stop
        enabled: window.app.chat.generation !== ChatController.Idle
        onActivated: window.app.chat.stop()
    }
    Shortcut {
        sequence: ShortcutKeys.rename
        enabled: window.app.chat.conversationId !== 0
        onActivated: {
            if (window.narrow)
                drawer.open();
            window.app.conversations.renameRequested(window.app.chat.conversationId);
        }
    }
    Shortcut {
        sequence: ShortcutKeys.quit
        onActivated: window.close()
    }
}
