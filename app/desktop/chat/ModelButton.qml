// Which model answers, and how far it is.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

T.Button {
    id: button

    required property ChatStatus status
    required property Actions actions

    objectName: "modelButton"
    implicitHeight: Theme.controlSize
    implicitWidth: implicitContentWidth + leftPadding + rightPadding
    hoverEnabled: true
    Keys.onReturnPressed: clicked()
    Keys.onEnterPressed: clicked()
    leftPadding: Theme.m
    rightPadding: Theme.m
    Accessible.name: qsTr("Model: %1").arg(status.model)

    contentItem: RowLayout {
        spacing: Theme.xs

        Icon {
            Layout.preferredWidth: Theme.iconSize(15)
            Layout.preferredHeight: Theme.iconSize(15)
            visible: button.status.leaves
            name: "remote"
            color: Theme.leaving
        }
        Text {
            objectName: "modelButtonText"
            Layout.fillWidth: true
            text: button.status.model
            textFormat: Text.PlainText
            color: button.status.modelFails ? Theme.danger : button.status.leaves ? Theme.leaving : Theme.text
            font.pixelSize: Theme.smallSize
            font.weight: Font.Medium
            // The words at its end are not to be cut.
            elide: button.status.leaves ? Text.ElideLeft : Text.ElideMiddle
        }
        Icon {
            Layout.preferredWidth: Theme.iconSize(15)
            Layout.preferredHeight: Theme.iconSize(15)
            name: "chevron-down"
            color: Theme.mutedText
        }
    }
    background: Rectangle {
        radius: Theme.radius
        color: button.down ? Theme.pressed : button.hovered ? Theme.hover
            : button.status.leaves ? Theme.leavingSurface : "transparent"

        Rectangle {
            anchors.bottom: parent.bottom
            x: Theme.m
            width: (parent.width - 2 * Theme.m) * button.status.loadFraction
            height: 2
            radius: 1
            color: Theme.accent
            visible: button.status.loadFraction < 1
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
