// The models under the name of the one in use: one is chosen by a click, or by the beginning of its name and Enter.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

T.Popup {
    id: menu

    required property AppModel app
    /// That the chosen model is to answer again; 0: it is only used.
    property double message: 0
    readonly property ModelLibrary library: app.models.library

    function openFor(wanted: double) {
        message = wanted;
        library.look();
        open();
    }
    function choose(modelId: string) {
        close();
        if (message !== 0)
            app.chats.chat.regenerateWith(message, modelId);
        else
            app.services.model.use(modelId);
    }
    function chooseFirst() {
        const modelId = library.firstNamed(filter.text);
        if (modelId.length > 0)
            choose(modelId);
    }

    objectName: "modelMenu"
    // At the button's side, which is the other one where people read from right to left.
    x: Application.layoutDirection === Qt.RightToLeft || !parent
        ? Theme.s : Math.max(Theme.s, parent.width - width - Theme.s)
    y: Theme.controlSize + Theme.m
    width: Math.min(Math.round(360 * Math.sqrt(Theme.textScale)), (parent?.width ?? 0) - 2 * Theme.s)
    height: Math.min(implicitContentHeight + 2 * padding, (parent?.height ?? 0) - y - Theme.l)
    padding: Theme.s
    focus: true
    closePolicy: T.Popup.CloseOnEscape | T.Popup.CloseOnPressOutside
    onAboutToShow: {
        filter.clear();
        filter.forceActiveFocus();
    }

    background: Rectangle {
        color: Theme.popup
        radius: Theme.radius
        border.color: Theme.line
    }
    ColumnLayout {
        anchors.fill: parent
        spacing: Theme.xs
        Accessible.role: Accessible.Dialog
        Accessible.name: menu.message !== 0 ? qsTr("Answer again with") : qsTr("Models")

        Text {
            Layout.fillWidth: true
            Layout.leftMargin: Theme.s
            visible: menu.message !== 0
            textFormat: Text.PlainText
            text: qsTr("Answer again with")
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
        }
        InputField {
            id: filter
            objectName: "modelMenuFilter"
            Layout.fillWidth: true
            label: qsTr("Filter the models")
            placeholderText: qsTr("Filter")
            onAccepted: menu.chooseFirst()
            Keys.onDownPressed: list.takeFocus()
        }
        ListView {
            id: list
            objectName: "modelMenuList"

            function takeFocus() {
                if (currentIndex < 0)
                    currentIndex = 0;
                forceActiveFocus(Qt.TabFocusReason);
            }

            Layout.fillWidth: true
            Layout.fillHeight: true
            implicitHeight: contentHeight
            clip: true
            keyNavigationEnabled: true
            boundsBehavior: Flickable.StopAtBounds
            cacheBuffer: 1 << 14
            model: menu.visible ? menu.library : null
            Accessible.role: Accessible.List
            Accessible.name: qsTr("Your models")
            T.ScrollBar.vertical: ScrollThumb {}
            delegate: ModelMenuRow {
                width: ListView.view.width
                shown: filter.text.length === 0 || name.toLowerCase().includes(filter.text.trim().toLowerCase())
                onClicked: menu.choose(modelId)
            }
        }
        TextButton {
            objectName: "allModelsButton"
            Layout.fillWidth: true
            text: qsTr("All models…")
            Accessible.name: menu.app.services.actions.hint("models")
            onClicked: {
                menu.close();
                menu.app.services.actions.run("models");
            }
        }
    }
}
