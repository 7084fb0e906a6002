// Which model answers, and how far it is.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

T.Button {
    id: button

    required property ModelListModel models
    required property Actions actions
    readonly property string label: {
        if (models.inspecting)
            return qsTr("Looking at the file…");
        switch (models.state) {
        case ModelListModel.Loading:
            return qsTr("Loading %1… %2%").arg(models.currentName).arg(Math.round(models.loadFraction * 100));
        case ModelListModel.Ready:
            return models.currentName;
        case ModelListModel.Failed:
            return qsTr("%1 failed").arg(models.currentName);
        case ModelListModel.Missing:
            return qsTr("%1 is missing").arg(models.currentName);
        default:
            return qsTr("Choose a model");
        }
    }

    objectName: "modelButton"
    implicitHeight: Theme.controlSize
    implicitWidth: implicitContentWidth + leftPadding + rightPadding
    hoverEnabled: true
    leftPadding: Theme.m
    rightPadding: Theme.m
    Accessible.name: qsTr("Model: %1").arg(label)

    contentItem: RowLayout {
        spacing: Theme.xs

        Text {
            Layout.fillWidth: true
            text: button.label
            textFormat: Text.PlainText
            color: button.models.state === ModelListModel.Failed || button.models.state === ModelListModel.Missing ? Theme.danger : Theme.text
            font.pixelSize: Theme.smallSize
            font.weight: Font.Medium
            elide: Text.ElideMiddle
        }
        Icon {
            Layout.preferredWidth: 15
            Layout.preferredHeight: 15
            name: "chevron-down"
            color: Theme.mutedText
        }
    }
    background: Rectangle {
        radius: Theme.radius
        color: button.down ? Theme.pressed : button.hovered ? Theme.hover : "transparent"

        Rectangle {
            anchors.bottom: parent.bottom
            x: Theme.m
            width: (parent.width - 2 * Theme.m) * button.models.loadFraction
            height: 2
            radius: 1
            color: Theme.accent
            visible: button.models.state === ModelListModel.Loading
        }
        FocusRing {
            shown: button.visualFocus
        }
    }

    Loader {
        active: button.hovered
        sourceComponent: Hint {
            parent: button
            text: button.actions.hint("models")
            visible: button.hovered
        }
    }
}
